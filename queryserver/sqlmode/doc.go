// Package sqlmode lets readers of a project ask in SQL, and keeps them inside it.
//
// A statement passes these steps, each of which fails closed:
//
//  1. The engine parses it and writes it anew ([Compiler.Compile]): one statement,
//     without comments, quoted one way.
//  2. The engine explains what it parsed (EXPLAIN AST and EXPLAIN QUERY TREE without
//     passes). Both descriptions are walked: only kinds of nodes, functions, table
//     functions and tables that are listed here get through. Settings, formats,
//     parameters and names with a database in front do not.
//  3. It runs as a subquery below common table expressions that are our views: the
//     names a statement may use mean these and nothing else. Each reads one table
//     through PREWHERE project = …, so that no expression of the statement ever
//     sees a row of another project, not even to fail on it.
//  4. The engine filters the tables once more (additional_table_filters), under
//     readonly = 1 and with limits that throw.
//
// On a ClickHouse server a user of its own, with rights to the tables alone and row
// policies, stands behind all that; docs/sql.md has the statements.
package sqlmode
