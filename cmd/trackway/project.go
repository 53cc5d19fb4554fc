package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackwayhq/trackway/cmd/internal/projects"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

func newProjectCommand() *cobra.Command {
	var store metadataFlags
	cmd := &cobra.Command{
		Use:   "project",
		Short: "Create, list, change and archive projects",
		Long: `Projects are separate sets of records, each with its ingest keys, its time to live
and its limits. The commands work while Trackway runs and before it ever did;
collectors and query servers notice a change within seconds.`,
		Args: noCommand,
		RunE: help,
	}
	store.add(cmd)
	cmd.AddCommand(newProjectCreateCommand(&store), newProjectListCommand(&store), newProjectUpdateCommand(&store), newProjectArchiveCommand(&store))
	return cmd
}

// projectFlags are what can be set of a project.
type projectFlags struct{ metadata.Project }

func (f *projectFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.Name, "name", "", "name for people (default: the id)")
	flags.IntVar(&f.TTLDays, "ttl-days", metadata.DefaultTTLDays, "days that records are kept")
	flags.Int64Var(&f.Limits.ItemsPerSecond, "items-per-second", 0, "items a second; 0 is no limit")
	flags.Int64Var(&f.Limits.BytesPerSecond, "bytes-per-second", 0, "bytes a second, as inflated; 0 is no limit")
	flags.Int64Var(&f.Limits.ItemsPerDay, "items-per-day", 0, "items a day (UTC); 0 is no limit")
	flags.Int64Var(&f.Limits.BytesPerDay, "bytes-per-day", 0, "bytes a day (UTC), as inflated; 0 is no limit")
}

// edits gives what was set on the command line, as changes to a project.
func (f *projectFlags) edits(flags *pflag.FlagSet) []func(*metadata.Project) {
	var edits []func(*metadata.Project)
	for name, edit := range map[string]func(*metadata.Project){
		"name":             func(p *metadata.Project) { p.Name = f.Name },
		"ttl-days":         func(p *metadata.Project) { p.TTLDays = f.TTLDays },
		"items-per-second": func(p *metadata.Project) { p.Limits.ItemsPerSecond = f.Limits.ItemsPerSecond },
		"bytes-per-second": func(p *metadata.Project) { p.Limits.BytesPerSecond = f.Limits.BytesPerSecond },
		"items-per-day":    func(p *metadata.Project) { p.Limits.ItemsPerDay = f.Limits.ItemsPerDay },
		"bytes-per-day":    func(p *metadata.Project) { p.Limits.BytesPerDay = f.Limits.BytesPerDay },
	} {
		if flags.Changed(name) {
			edits = append(edits, edit)
		}
	}
	return edits
}

func newProjectCreateCommand(store *metadataFlags) *cobra.Command {
	var values projectFlags
	cmd := &cobra.Command{
		Use:   "create ID",
		Short: "Create a project",
		Long:  "Creates a project. Its id, 1 to 40 of a-z, 0-9 and -, cannot be changed: records carry it.",
		Args:  oneArg("the id of the project to create"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("ttl-days") && values.TTLDays == 0 {
				return fmt.Errorf("--ttl-days: want 1 to %d, got 0", metadata.MaxTTLDays)
			}
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				values.ID = args[0]
				p, err := s.CreateProject(cmd.Context(), projects.Actor(), values.Project)
				if err != nil {
					return err
				}
				return store.printProject(cmd, p, "created")
			})
		},
	}
	values.add(cmd.Flags())
	return cmd
}

func newProjectListCommand(store *metadataFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List all projects",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				found, err := s.Projects(cmd.Context())
				if err != nil {
					return err
				}
				if store.jsonOut {
					return projects.JSON(cmd.OutOrStdout(), found)
				}
				return projects.Table(cmd.OutOrStdout(), found)
			})
		},
	}
}

func newProjectUpdateCommand(store *metadataFlags) *cobra.Command {
	var values projectFlags
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change a project's name, time to live or limits",
		Long:  "Changes what is given and leaves the rest. A time to live applies to records that arrive from then on.",
		Args:  oneArg("the id of the project to change"),
		RunE: func(cmd *cobra.Command, args []string) error {
			edits := values.edits(cmd.Flags())
			if len(edits) == 0 {
				return errors.New("nothing to change: want one of --name, --ttl-days, --items-per-second, --bytes-per-second, --items-per-day and --bytes-per-day")
			}
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				p, err := s.UpdateProject(cmd.Context(), projects.Actor(), args[0], func(p *metadata.Project) {
					for _, edit := range edits {
						edit(p)
					}
				})
				if err != nil {
					return err
				}
				return store.printProject(cmd, p, "changed")
			})
		},
	}
	values.add(cmd.Flags())
	return cmd
}

func newProjectArchiveCommand(store *metadataFlags) *cobra.Command {
	var undo bool
	cmd := &cobra.Command{
		Use:   "archive ID",
		Short: "End a project's intake",
		Long: `Ends a project's intake: what its keys send is refused. What is stored can be read
until it expires. --undo lets the same keys send again.`,
		Args: oneArg("the id of the project to archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return store.use(cmd.Context(), func(s *metadata.Store) error {
				p, err := s.ArchiveProject(cmd.Context(), projects.Actor(), args[0], undo)
				if err != nil {
					return err
				}
				done := "archived"
				if undo {
					done = "in use again"
				}
				return store.printProject(cmd, p, done)
			})
		},
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "let it take data again")
	return cmd
}

// printProject says what became of a project.
func (f *metadataFlags) printProject(cmd *cobra.Command, p metadata.Project, done string) error {
	if f.jsonOut {
		return projects.JSON(cmd.OutOrStdout(), p)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "Project %s is %s.\n", p.ID, done)
	return err
}
