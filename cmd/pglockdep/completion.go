package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/pglockdep/pglockdep/internal/change"
	"github.com/pglockdep/pglockdep/internal/report"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var shells = []string{"bash", "zsh", "fish"}

var completionCommand = &command{
	name: "completion", args: "bash|zsh|fish",
	short: "print a completion script for a shell",
	long: `Completion prints a script that makes the shell complete commands, flags and
the values of flags. Load it in a session, or put it where the shell looks:

	source <(pglockdep completion bash)
	pglockdep completion zsh >"${fpath[1]}/_pglockdep"
	pglockdep completion fish >~/.config/fish/completions/pglockdep.fish`,
	examples: []string{"completion bash"},
}

// The command is in the table that the script lists.
func init() {
	completionCommand.run = func(c *invocation) error {
		if len(c.args) != 1 {
			return hint(errors.New("completion wants the name of a shell"), "bash, zsh or fish")
		}
		write := map[string]func(io.Writer){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.args[0]]
		if write == nil {
			return fmt.Errorf("no completion for %q, only for %s", c.args[0], strings.Join(shells, ", "))
		}
		write(c.stdout)
		return nil
	}
}

// flagValues are the values of flags that have a fixed set, by command and
// flag.
func flagValues(cmd, name string) []string {
	switch name {
	case "format":
		return map[string][]string{"check": report.Formats, "graph": {"json", "dot", "mermaid"}, "paths": {"text", "json"}, "sql": {"text", "json"}, "diff": change.Formats}[cmd]
	case "fail-on":
		return []string{lockgraph.SeverityError, lockgraph.SeverityWarning, lockgraph.SeverityNote}
	case "pooler":
		return []string{"none", "session", "transaction", "statement"}
	case "implicit":
		return []string{"none", "relevant", "all"}
	}
	return nil
}

// words are what may follow a command besides flags and files.
func words(cmd string) []string {
	switch cmd {
	case "help":
		return commandNames()
	case "completion":
		return shells
	case "explain":
		var out []string
		for _, k := range lockgraph.Kinds {
			out = append(out, k.Slug)
		}
		return out
	}
	return nil
}

// flagsOf lists the flags of a command.
func flagsOf(cmd *command) []*flag.Flag {
	var out []*flag.Flag
	newInvocation(cmd, nil, io.Discard, io.Discard).fs.VisitAll(func(f *flag.Flag) { out = append(out, f) })
	return out
}

func bashCompletion(w io.Writer) {
	fmt.Fprintf(w, `# Completion of pglockdep for bash; pglockdep completion bash prints it.
_pglockdep() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[1]} words=
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W '%s' -- "$cur"))
		return
	fi
	case $cmd:$prev in
`, strings.Join(commandNames(), " "))
	for _, cmd := range commands() {
		for _, f := range flagsOf(cmd) {
			if vals := flagValues(cmd.name, f.Name); vals != nil {
				fmt.Fprintf(w, "\t%s:-%s) words='%s' ;;\n", cmd.name, f.Name, strings.Join(vals, " "))
			}
		}
	}
	fmt.Fprint(w, "\t*) case $cmd in\n")
	for _, cmd := range append(commands(), helpCommand) {
		var all []string
		for _, f := range flagsOf(cmd) {
			all = append(all, "-"+f.Name)
		}
		if all = append(all, words(cmd.name)...); len(all) > 0 {
			fmt.Fprintf(w, "\t\t%s) words='%s' ;;\n", cmd.name, strings.Join(all, " "))
		}
	}
	fmt.Fprint(w, "\tesac ;;\n\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n}\ncomplete -o filenames -F _pglockdep pglockdep\n")
}

func zshCompletion(w io.Writer) {
	fmt.Fprint(w, "#compdef pglockdep\n# Completion of pglockdep for zsh; pglockdep completion zsh prints it.\n\n_pglockdep() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, cmd := range append(commands(), helpCommand) {
		fmt.Fprintf(w, "\t\t%s\n", zshQuote(cmd.name+":"+cmd.short))
	}
	fmt.Fprint(w, "\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase ${words[2]} in\n")
	for _, cmd := range append(commands(), helpCommand) {
		fmt.Fprintf(w, "\t%s) _arguments", cmd.name)
		for _, f := range flagsOf(cmd) {
			arg, usage := flag.UnquoteUsage(f)
			spec := "*-" + f.Name + "[" + strings.NewReplacer("[", "(", "]", ")", ":", ",").Replace(usage) + "]"
			if vals := flagValues(cmd.name, f.Name); vals != nil {
				spec += ":" + arg + ":(" + strings.Join(vals, " ") + ")"
			} else if arg != "" {
				spec += ":" + arg + ":_files"
			}
			fmt.Fprintf(w, " %s", zshQuote(spec))
		}
		if ws := words(cmd.name); ws != nil {
			fmt.Fprintf(w, " %s ;;\n", zshQuote("*:word:("+strings.Join(ws, " ")+")"))
		} else {
			fmt.Fprintf(w, " '*:package:_files' ;;\n")
		}
	}
	fmt.Fprint(w, "\tesac\n}\n\nif [[ $funcstack[1] == _pglockdep ]]; then\n\t_pglockdep \"$@\"\nelse\n\tcompdef _pglockdep pglockdep\nfi\n")
}

func zshQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func fishCompletion(w io.Writer) {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	fmt.Fprint(w, "# Completion of pglockdep for fish; pglockdep completion fish prints it.\n")
	for _, cmd := range append(commands(), helpCommand) {
		fmt.Fprintf(w, "complete -c pglockdep -n __fish_use_subcommand -a %s -d %s\n", cmd.name, quote(cmd.short))
		on := "complete -c pglockdep -n '__fish_seen_subcommand_from " + cmd.name + "'"
		for _, f := range flagsOf(cmd) {
			arg, usage := flag.UnquoteUsage(f)
			line := on + " -o " + f.Name + " -d " + quote(usage)
			if vals := flagValues(cmd.name, f.Name); vals != nil {
				line += " -x -a " + quote(strings.Join(vals, " "))
			} else if arg != "" {
				line += " -r"
			}
			fmt.Fprintln(w, line)
		}
		if ws := words(cmd.name); ws != nil {
			fmt.Fprintln(w, on+" -f -a "+quote(strings.Join(ws, " ")))
		}
	}
}
