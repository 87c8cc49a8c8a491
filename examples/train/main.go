// Command train trains two models on real data with ops that exist only as formulas in specs/: a linear regression under
// the smooth L1 loss, beside the least-squares solution, and a network of two layers that reads digits.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"time"

	"github.com/opgen/opgen/runtime"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("train: ")
	out := flag.String("out", "out", "folder for the picture of the curves")
	flag.Parse()
	if err := runtime.PathError(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("kernels: %v\n", runtime.Path())
	start := time.Now()
	regression, err := diabetes()
	if err != nil {
		log.Fatal(err)
	}
	network, err := digits()
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(*out, "training.png")
	if err := drawPanels(path, []panel{regression, network}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("\ncurves: %s; %.1f s in all\n", path, time.Since(start).Seconds())
}

func sqrt(x float64) float64 { return math.Sqrt(x) }
