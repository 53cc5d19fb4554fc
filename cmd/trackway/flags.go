package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wants says in words what flags of a type take.
var wants = map[string]string{
	"float64": "a number", "int": "a whole number", "uint64": "a whole number, 0 or more", "bool": "true or false",
}

// flagError turns the words of the number parser into a sentence about the flag.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	name := "--" + invalid.GetFlag().Name
	var number *strconv.NumError
	if errors.As(err, &number) {
		want := wants[invalid.GetFlag().Value.Type()]
		if name == "--memory" {
			want = "a number of bytes, such as 2147483648"
		}
		if errors.Is(err, strconv.ErrRange) {
			want += " that is not as large"
		}
		return fmt.Errorf("%s: want %s, got %s", name, want, invalid.GetValue())
	}
	return fmt.Errorf("%s: %w", name, errors.Unwrap(invalid))
}

// whats names what flags of text take.
var whats = map[string]string{
	"data": "a directory", "config-dir": "a directory", "collector": "a program", "library": "a file", "memory": "a number of bytes",
	"url": "an address such as http://127.0.0.1:4319", "endpoint": "an address such as http://127.0.0.1:8123", "user": "a name",
	"database": "a name", "config": "a file", "story": "a file", "json": "a file", "markdown": "a file", "html": "a file", "profile": "a directory", "mix": "requests:spans:events", "listen": "host:port",
	"dsn": "a database", "project": "the id of a project",
}

// checkFlags refuses flags that are given as an empty string, as a script with an
// unset variable does. Their defaults are what leaving them out means.
func checkFlags(cmd *cobra.Command, _ []string) error {
	var problem error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if want := whats[flag.Name]; want != "" && flag.Value.String() == "" {
			problem = errors.Join(problem, fmt.Errorf("--%s: want %s, got nothing", flag.Name, want))
		}
	})
	return problem
}

// noCommand refuses words that are no command of a group of commands.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unknown command %q: `%s --help` lists them", args[0], cmd.CommandPath())
}

// help prints what a group of commands has.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }
