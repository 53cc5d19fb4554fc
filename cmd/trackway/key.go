package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/projects"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// defaultOverlap is how long a rotated key stays valid unless told: a day is
// enough to deploy its senders.
const defaultOverlap = 24 * time.Hour

func newKeyCommand() *cobra.Command {
	var store metadataFlags
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Create, list, rotate and revoke ingest keys",
		Long: `An ingest key lets senders write to a project. It is shown once, when it is made:
only a hash of it is stored. Collectors notice a change within seconds.`,
		Args: noCommand,
		RunE: help,
	}
	store.add(cmd)
	cmd.AddCommand(newKeyCreateCommand(&store), newKeyListCommand(&store), newKeyRotateCommand(&store), newKeyRevokeCommand(&store))
	return cmd
}

func newKeyCreateCommand(store *metadataFlags) *cobra.Command {
	var project, name string
	var lifetime days
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an ingest key and show it once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				key, secret, err := s.CreateKey(cmd.Context(), projects.Actor(), project, name, time.Duration(lifetime))
				if err != nil {
					return err
				}
				return store.printKey(cmd, projects.NewKey{Key: key, Secret: secret})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&project, "project", metadata.DefaultProject, "id of the project that senders write to")
	flags.StringVar(&name, "name", "ingest", "name for people, such as that of the sender")
	flags.Var(&lifetime, "expires-in", "how long it is valid, such as 90d (default: until it is revoked)")
	return cmd
}

func newKeyListCommand(store *metadataFlags) *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List ingest keys, without the keys themselves",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				keys, err := s.Keys(cmd.Context(), project)
				if err != nil {
					return err
				}
				if store.jsonOut {
					return projects.KeysJSON(cmd.OutOrStdout(), keys, time.Now())
				}
				return projects.KeysTable(cmd.OutOrStdout(), keys, time.Now())
			})
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "id of a project (default: all)")
	return cmd
}

func newKeyRotateCommand(store *metadataFlags) *cobra.Command {
	overlap := days(defaultOverlap)
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Replace an ingest key by a new one",
		Long: `Makes a new key in the place of another, with the same project and name, and shows
it once. The old one stays valid for --overlap, while its senders are changed over.
A key that expires is replaced by one that lives as long as it did.`,
		Args: oneArg("the id of the key to replace, such as k_…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				key, old, secret, err := s.RotateKey(cmd.Context(), projects.Actor(), args[0], time.Duration(overlap))
				if err != nil {
					return err
				}
				return store.printKey(cmd, projects.NewKey{Key: key, Secret: secret, Replaces: &old})
			})
		},
	}
	cmd.Flags().Var(&overlap, "overlap", "how long the old key stays valid")
	return cmd
}

func newKeyRevokeCommand(store *metadataFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Make an ingest key invalid, for good and at once",
		Args:  oneArg("the id of the key to revoke, such as k_…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				key, err := s.RevokeKey(cmd.Context(), projects.Actor(), args[0])
				if err != nil {
					return err
				}
				if store.jsonOut {
					return projects.JSON(cmd.OutOrStdout(), key)
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Key %s (%s) of project %s is revoked.\n", key.ID, key.Name, key.Project)
				return err
			})
		},
	}
}

// printKey shows a key with its secret, for the only time.
func (f *metadataFlags) printKey(cmd *cobra.Command, key projects.NewKey) error {
	if f.jsonOut {
		return projects.JSON(cmd.OutOrStdout(), key)
	}
	return key.Text(cmd.OutOrStdout())
}
