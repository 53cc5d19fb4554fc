package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/erasure"
	"github.com/trackwayhq/trackway/cmd/internal/up"
	"github.com/trackwayhq/trackway/internal/keyedhash"
)

// hashSecretEnv holds the secret of keyed hashes.
const hashSecretEnv = "TRACKWAY_HASH_SECRET"

// defaultEraseWait is longer than a server keeps parts that were replaced.
const defaultEraseWait = 15 * time.Minute

func newEraseCommand() *cobra.Command {
	var (
		store   storeFlags
		options erasure.Options
		value   string
	)
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Remove a person from everything, and prove it",
		Long: `Removes all records that carry a correlation key with a value: from the collector's
queue, journal and dead letters, then from every table. It searches everything again
and prints what it searched; exit status 1 says that something is left.

Where keys are hashed, the secret in ` + hashSecretEnv + ` finds their hashes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options.Out = cmd.OutOrStdout()
			options.Subject.Values = []string{value}
			if secret := os.Getenv(hashSecretEnv); secret != "" {
				if len(secret) < keyedhash.MinSecret {
					return fmt.Errorf("%s: want at least %d bytes", hashSecretEnv, keyedhash.MinSecret)
				}
				options.Subject.Values = append(options.Subject.Values, keyedhash.New([]byte(secret)).Hash(value))
			}
			if options.Wait < 0 {
				return errors.New("--wait: want a duration such as 15m")
			}
			if err := options.Subject.Validate(); err != nil {
				return err
			}
			client, schemaOptions, err := store.open(cmd.Context())
			if err != nil {
				return err
			}
			options.Store, options.Erase.Schema = client, schemaOptions
			if store.endpoint == "" || store.data != "" {
				if options.Data = store.data; options.Data == "" {
					if options.Data, err = up.DefaultDataDir(); err != nil {
						return err
					}
				}
				options.Socket = filepath.Join(options.Data, "run", "collector.sock")
			}
			return erasure.Run(cmd.Context(), options)
		},
	}
	store.add(cmd.Flags())
	flags := cmd.Flags()
	flags.StringVar(&options.Subject.Project, "project", "", "project whose records are meant (default: all)")
	flags.StringVar(&options.Subject.Key, "key", "", "correlation key, such as user_id")
	flags.StringVar(&value, "value", "", "the key's value")
	flags.BoolVar(&options.Erase.Mentions, "mentions", false, "erase records that have the value in any text, also those that do not carry the key")
	flags.BoolVar(&options.DryRun, "dry-run", false, "print what would be sent, and erase nothing")
	flags.DurationVar(&options.Wait, "wait", defaultEraseWait, "how long to wait until the server has removed replaced parts from the disk")
	return cmd
}
