package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/opgen/opgen/runtime"
)

// machine is where the measurement ran.
type machine struct {
	cpu, caches, system, goVersion, path, gcc, gccFlags string
	cores                                               int
}

func thisMachine(gccFlags string) machine {
	return machine{
		cpu:       cpuName(),
		caches:    caches(),
		system:    osName() + ", " + kernel(),
		goVersion: goruntime.Version(),
		path:      runtime.Path().String(),
		gcc:       strings.TrimSpace(output("gcc", "-dumpfullversion")),
		gccFlags:  gccFlags,
		cores:     goruntime.NumCPU(),
	}
}

func output(args ...string) string {
	out, err := exec.Command(args[0], args[1:]...).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// field is the value of the first line "name: value" or "name=value" of a file.
func field(file, name, separator string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(text) {
		k, v, ok := strings.Cut(string(line), separator)
		if ok && strings.TrimSpace(k) == name {
			return strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return ""
}

// cpuName is the model, with family and model number: virtual machines often hide the name.
func cpuName() string {
	const file = "/proc/cpuinfo"
	return field(file, "model name", ":") + " (family " + field(file, "cpu family", ":") + ", model " + field(file, "model", ":") + ")"
}

// kernel is that of the system with its version; what follows that names a build, often of one machine.
func kernel() string {
	version, _, _ := strings.Cut(output("uname", "-sr"), "-")
	return version
}

func osName() string { return field("/etc/os-release", "PRETTY_NAME", "=") }

// caches are the sizes of the caches that core 0 uses for data.
func caches() string {
	dirs, err := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	if err != nil {
		return "unknown"
	}
	var r []string
	read := func(dir, name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	}
	for _, d := range dirs {
		if read(d, "type") != "Instruction" {
			r = append(r, "L"+read(d, "level")+" "+read(d, "size"))
		}
	}
	return strings.Join(r, ", ")
}
