package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// readsOnly are the verbs a GET may use on a session's connection, where the
// engine's own readonly could not be undone.
var readsOnly = map[string]bool{"SELECT": true, "WITH": true, "FROM": true, "SHOW": true, "DESCRIBE": true, "DESC": true, "EXISTS": true, "EXPLAIN": true, "USE": true, "SET": true, "CHECK": true}

// prepare puts the request's database and settings on the connection. The
// settings of a request do not outlive it: on the connection of a session, the
// function returned puts the former ones back.
func (e *execution) prepare() (func(), error) {
	r := e.request
	session := r.sessionID != ""
	e.comment = commentOf(r.queryID, r.setting("log_comment"))
	settings := make([]setting, 0, len(r.settings)+3)
	for _, s := range r.settings {
		if s.name != "log_comment" && (s.name != "readonly" || !session) {
			settings = append(settings, s)
		}
	}
	settings = append(settings, setting{"log_comment", e.comment})
	if !valuesFollow(e.statement) {
		settings = append(settings, setting{interpretSetting, "0"})
	}
	if r.setting("implicit_select") == "" {
		// On by default in the engine, for its command line; off on servers.
		settings = append(settings, setting{"implicit_select", "0"})
	}
	if session && r.readonly && !readsOnly[e.statement.Verb] {
		return nil, exception(codeReadonly, "READONLY", "%s: Cannot execute query in readonly mode.", "default")
	}
	if r.readonly && !session && (r.setting("readonly") == "" || r.setting("readonly") == "0") {
		// 2 allows settings to be changed within the statement, as ClickHouse does.
		settings = append(settings, setting{"readonly", "2"})
	}
	restore := func() {}
	if session {
		former, err := e.formerSettings(settings)
		if err != nil {
			return nil, err
		}
		restore = func() {
			if err := e.conn.Exec(former); err != nil {
				e.server.options.Log.Error("restore the settings of a session", "session_id", r.sessionID, "error", err)
			}
		}
	}
	if r.database != "" {
		if err := e.conn.Exec("USE " + quoteName(r.database)); err != nil {
			return nil, err
		}
	}
	for _, table := range r.external {
		if err := table.create(e.conn); err != nil {
			return nil, err
		}
	}
	if err := e.conn.Exec(setStatement(settings)); err != nil {
		restore()
		return nil, err
	}
	return restore, nil
}

func setStatement(settings []setting) string {
	changes := make([]string, len(settings))
	for i, s := range settings {
		changes[i] = quoteName(s.name) + " = " + quote(s.value)
	}
	return "SET " + strings.Join(changes, ", ")
}

// formerSettings returns the statement that takes the settings back to what they
// are now.
func (e *execution) formerSettings(settings []setting) (string, error) {
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = quote(s.name)
	}
	result, err := e.conn.Query("SELECT name, value, changed FROM system.settings WHERE name IN ("+strings.Join(names, ", ")+")", "JSONCompactEachRow", nil)
	if err != nil {
		return "", err
	}
	defer result.Close()
	var changes []string
	for line := range bytes.Lines(result.Bytes()) {
		var name, value string
		var changed int
		if err := json.Unmarshal(line, &[]any{&name, &value, &changed}); err != nil {
			return "", fmt.Errorf("read the settings of a session: %w", err)
		}
		if changed == 1 {
			changes = append(changes, quoteName(name)+" = "+quote(value))
		} else {
			changes = append(changes, quoteName(name)+" = DEFAULT")
		}
	}
	return "SET " + strings.Join(changes, ", "), nil
}

// quoteName makes a quoted identifier.
func quoteName(s string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(s) + "`"
}
