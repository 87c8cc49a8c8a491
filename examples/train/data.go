package main

import (
	"bufio"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
)

//go:embed testdata/*.gz
var files embed.FS

// table reads a compressed text table of numbers; fields are separated by commas or blanks.
func table(name string) ([][]float32, error) {
	f, err := files.Open("testdata/" + name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return parse(name, z)
}

func parse(name string, r io.Reader) ([][]float32, error) {
	var rows [][]float32
	s := bufio.NewScanner(r)
	for s.Scan() {
		fields := strings.FieldsFunc(s.Text(), func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
		row := make([]float32, len(fields))
		for i, f := range fields {
			x, err := strconv.ParseFloat(f, 32)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", name, len(rows)+1, err)
			}
			row[i] = float32(x)
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			return nil, fmt.Errorf("%s, line %d: %d fields, not %d", name, len(rows)+1, len(row), len(rows[0]))
		}
		rows = append(rows, row)
	}
	return rows, s.Err()
}

// split deals rows to a training and a held-out part, the same in every run.
func split[T any](rows []T, heldOut float64) (train, test []T) {
	r := rand.New(rand.NewPCG(1, 2))
	order := r.Perm(len(rows))
	n := int(float64(len(rows)) * heldOut)
	for i, k := range order {
		if i < n {
			test = append(test, rows[k])
		} else {
			train = append(train, rows[k])
		}
	}
	return train, test
}

// flat lays rows one behind the other.
func flat(rows [][]float32) []float32 {
	var r []float32
	for _, row := range rows {
		r = append(r, row...)
	}
	return r
}

// standardize gives each column mean 0 and standard deviation 1, by the statistics of the training part.
func standardize(train, test [][]float32) {
	for j := range train[0] {
		var mean, square float64
		for _, r := range train {
			mean += float64(r[j])
		}
		mean /= float64(len(train))
		for _, r := range train {
			d := float64(r[j]) - mean
			square += d * d
		}
		scale := 1.0
		if square > 0 {
			scale = 1 / sqrt(square/float64(len(train)))
		}
		for _, part := range [][][]float32{train, test} {
			for _, r := range part {
				r[j] = float32((float64(r[j]) - mean) * scale)
			}
		}
	}
}
