package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/opgen/opgen/codegen"
)

type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// Help is shown below the flags.
func (completionCmd) Help() string {
	return `Prints a script that completes verbs, flags and their values.

  source <(opgen completion bash)                                     # in ~/.bashrc
  source <(opgen completion zsh)                                      # in ~/.zshrc
  opgen completion fish > ~/.config/fish/completions/opgen.fish`
}

func (c *completionCmd) Run(e *env) error {
	_, err := fmt.Fprint(e.stdout, completionScripts[c.Shell])
	return err
}

// completionScripts ask the command itself, and fall back to file names.
var completionScripts = map[string]string{
	"bash": `_opgen() {
    local IFS=$'\n'
    COMPREPLY=($(opgen complete -- "${COMP_WORDS[@]:1:COMP_CWORD}"))
}
complete -o default -F _opgen opgen
`,
	"zsh": `_opgen() {
    local -a found
    found=("${(@f)$(opgen complete -- "${(@)words[2,CURRENT]}")}")
    if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
compdef _opgen opgen
`,
	"fish": `function __opgen_complete
    opgen complete -- (commandline -opc)[2..] (commandline -ct)
end
complete -c opgen -a '(__opgen_complete)'
complete -c opgen -f -n 'count (__opgen_complete) > /dev/null'
`,
}

type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints what may stand for the last word, a line each; nothing where a path may.
func (c *completeCmd) Run(e *env, k *kong.Kong) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, w := range complete(k.Model.Node, words, opsHere) {
		fmt.Fprintln(e.stdout, w)
	}
	return nil
}

// opsHere are the ops of the packages below this folder, as explain names them; none where nothing can be read.
func opsHere() []string {
	sources, err := codegen.Find([]string{"./..."}, "")
	if err != nil {
		return nil
	}
	var r []string
	for _, s := range sources {
		r = append(r, codegen.New(s).Declared()...)
	}
	return r
}

// valuesOf are the values that a flag may have, where they are few.
func valuesOf(f *kong.Flag) []string {
	switch f.Name {
	case "target":
		var r []string
		for _, t := range codegen.Targets {
			r = append(r, string(t))
		}
		return r
	}
	return f.EnumSlice()
}

// unsplit takes the equals sign out of words: bash makes three of -format=json, and completes the last of them.
func unsplit(words []string) []string {
	n := len(words)
	switch {
	case n >= 2 && words[n-1] == "=":
		return append(slices.Clone(words[:n-1]), "")
	case n >= 3 && words[n-2] == "=":
		return append(slices.Clone(words[:n-2]), words[n-1])
	}
	return words
}

// complete gives the continuations of the last of words; ops finds the names of ops.
func complete(root *kong.Node, words []string, ops func() []string) []string {
	words = unsplit(words)
	last := ""
	if n := len(words); n > 0 {
		words, last = words[:n-1], words[n-1]
	}
	node := root
	for _, w := range words {
		for _, child := range node.Children {
			if child.Name == w {
				node = child
			}
		}
	}
	var all []string
	dashes := strings.HasPrefix(last, "-")
	valued := false // last is the value of the flag before it
	flag, _, value := strings.Cut(last, "=")
	for _, f := range node.Flags {
		switch names := []string{"-" + f.Name, "--" + f.Name}; {
		case value && slices.Contains(names, flag), !dashes && len(words) > 0 && slices.Contains(names, words[len(words)-1]) && !f.IsBool():
			prefix := ""
			if value {
				prefix = flag + "="
			}
			valued = true
			if f.IsSlice() { // the entries before the last one stay
				last := strings.TrimPrefix(last, prefix)
				prefix += last[:strings.LastIndex(last, ",")+1]
			}
			for _, v := range valuesOf(f) {
				if v != "" {
					all = append(all, prefix+v)
				}
			}
		case dashes && strings.HasPrefix(last, "--"):
			all = append(all, "--"+f.Name)
		case dashes:
			all = append(all, "-"+f.Name)
		}
	}
	if !dashes {
		for _, child := range node.Children {
			if !child.Hidden {
				all = append(all, child.Name)
			}
		}
		if node.Name == "completion" {
			all = append(all, "bash", "zsh", "fish")
		}
		if node.Name == "explain" && !valued {
			all = append(all, ops()...)
		}
	}
	return slices.DeleteFunc(all, func(w string) bool { return !strings.HasPrefix(w, last) })
}
