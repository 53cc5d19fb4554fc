package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/projects"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

func newTokenCommand() *cobra.Command {
	var store metadataFlags
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, list and revoke API tokens",
		Long: `An API token lets a script ask the query server about a project. It is shown once,
when it is made: only a hash of it is stored. Query servers notice a change within
seconds; they ask for tokens where accounts.required is set.`,
		Args: noCommand,
		RunE: help,
	}
	store.add(cmd)
	cmd.AddCommand(newTokenCreateCommand(&store), newTokenListCommand(&store), newTokenRevokeCommand(&store))
	return cmd
}

func newTokenCreateCommand(store *metadataFlags) *cobra.Command {
	var token metadata.Token
	var scope string
	var all bool
	var lifetime days
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an API token and show it once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				if cmd.Flags().Changed("project") {
					return errors.New("want --project or --all-projects, got both")
				}
				token.Project = ""
			} else if token.Project == "" {
				return errors.New("--project: want the id of a project, got nothing; --all-projects is for a token of all")
			}
			token.Scope = metadata.Scope(scope)
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				made, secret, err := s.CreateToken(cmd.Context(), projects.Actor(), token, time.Duration(lifetime))
				if err != nil {
					return err
				}
				shown := projects.NewToken{Token: made, Secret: secret}
				if store.jsonOut {
					return projects.JSON(cmd.OutOrStdout(), shown)
				}
				return shown.Text(cmd.OutOrStdout())
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&token.Project, "project", metadata.DefaultProject, "id of the project it is for")
	flags.BoolVar(&all, "all-projects", false, "for all projects, those to come too")
	flags.StringVar(&scope, "scope", string(metadata.ScopeRead), "what it allows: read, write (markers too) or admin")
	flags.StringVar(&token.Name, "name", "script", "name for people")
	flags.Var(&lifetime, "expires-in", "how long it is valid, such as 90d (default: until it is revoked)")
	return cmd
}

func newTokenListCommand(store *metadataFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List API tokens, without the tokens themselves",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				tokens, err := s.Tokens(cmd.Context())
				if err != nil {
					return err
				}
				if store.jsonOut {
					return projects.TokensJSON(cmd.OutOrStdout(), tokens, time.Now())
				}
				return projects.TokensTable(cmd.OutOrStdout(), tokens, time.Now())
			})
		},
	}
}

func newTokenRevokeCommand(store *metadataFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Make an API token invalid, for good",
		Args:  oneArg("the id of the token to revoke, such as t_…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				token, err := s.RevokeToken(cmd.Context(), projects.Actor(), args[0])
				if err != nil {
					return err
				}
				if store.jsonOut {
					return projects.JSON(cmd.OutOrStdout(), token)
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Token %s (%s) is revoked.\n", token.ID, token.Name)
				return err
			})
		},
	}
}
