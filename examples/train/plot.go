package main

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// curve is one line of a picture.
type curve struct {
	name   string
	values []float64 // one an epoch, from epoch 1
}

// panel is one picture of curves.
type panel struct {
	title, y string
	curves   []curve
	level    *level
}

// level is a horizontal line to compare with.
type level struct {
	name  string
	value float64
}

var palette = []color.RGBA{{0x1f, 0x77, 0xb4, 0xff}, {0xd6, 0x27, 0x28, 0xff}, {0x2c, 0xa0, 0x2c, 0xff}}

// drawPanels writes panels side by side as a PNG.
func drawPanels(path string, panels []panel) error {
	const width, height = 6 * vg.Inch, 4 * vg.Inch
	img := vgimg.New(width*vg.Length(len(panels)), height)
	dc := draw.New(img)
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: vg.Millimeter * 4, PadRight: vg.Millimeter * 3, PadTop: vg.Millimeter * 2}
	for i, p := range panels {
		plt := plot.New()
		plt.Title.Text = p.title
		plt.X.Label.Text = "epoch"
		plt.Y.Label.Text = p.y
		plt.Legend.Top, plt.Legend.YOffs = true, -vg.Inch/2
		last := 1.0
		for k, c := range p.curves {
			xy := make(plotter.XYs, len(c.values))
			for e, v := range c.values {
				xy[e] = plotter.XY{X: float64(e + 1), Y: v}
			}
			line, err := plotter.NewLine(xy)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			line.Color = palette[k%len(palette)]
			line.Width = vg.Points(1.5)
			plt.Add(line)
			plt.Legend.Add(c.name, line)
			last = max(last, float64(len(c.values)))
		}
		if p.level != nil {
			line, err := plotter.NewLine(plotter.XYs{{X: 1, Y: p.level.value}, {X: last, Y: p.level.value}})
			if err != nil {
				return err
			}
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
			plt.Add(line)
			plt.Legend.Add(p.level.name, line)
		}
		plt.Add(plotter.NewGrid())
		plt.Draw(tiles.At(dc, i, 0))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = vgimg.PngCanvas{Canvas: img}.WriteTo(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
