package main

import "math"

// The formulas in float64. They are what all contestants are checked against.

func loss1(x, t float32) float64 {
	e := math.Abs(float64(x) - float64(t))
	if e < beta {
		return e * e / 2 / beta
	}
	return e - beta/2
}

func slope1(x, t float32) float64 {
	d := float64(x) - float64(t)
	switch {
	case math.Abs(d) < beta:
		return d / beta
	case d > 0:
		return 1
	default:
		return -1
	}
}

func smoothL1(l *load) [][]float64 {
	x, t := l.values(0), l.values(1)
	y := make([]float64, l.n)
	for i := range y {
		y[i] = loss1(x[i], t[i])
	}
	return [][]float64{y}
}

func smoothL1Mean(l *load) [][]float64 {
	sum := 0.0
	for _, v := range smoothL1(l)[0] {
		sum += v
	}
	return [][]float64{{sum / float64(l.n)}}
}

func smoothL1Backward(l *load) [][]float64 {
	gy := l.values(2)
	return slopes(l, func(i int) float64 { return float64(gy[i]) })
}

func smoothL1MeanBackward(l *load) [][]float64 {
	g := float64(l.values(2)[0]) / float64(l.n)
	return slopes(l, func(int) float64 { return g })
}

// slopes are the gradients of both inputs for a cotangent.
func slopes(l *load, cotangent func(i int) float64) [][]float64 {
	x, t := l.values(0), l.values(1)
	gx, gt := make([]float64, l.n), make([]float64, l.n)
	for i := range gx {
		gx[i] = slope1(x[i], t[i]) * cotangent(i)
		gt[i] = -gx[i]
	}
	return [][]float64{gx, gt}
}

func momentumSGD(l *load) [][]float64 {
	p, g, buf := l.values(0), l.values(1), l.values(2)
	newP, newBuf := make([]float64, l.n), make([]float64, l.n)
	for i := range newP {
		newBuf[i] = momentum*float64(buf[i]) + float64(g[i]) + weightDecay*float64(p[i])
		newP[i] = float64(p[i]) - lr*newBuf[i]
	}
	return [][]float64{newP, newBuf}
}

func softmax(l *load) [][]float64 {
	y := make([]float64, l.n)
	for r := range l.rows {
		x, y := l.values(0)[r*l.width:][:l.width], y[r*l.width:][:l.width]
		top, sum := math.Inf(-1), 0.0
		for _, v := range x {
			top = max(top, float64(v))
		}
		for i, v := range x {
			y[i] = math.Exp(float64(v) - top)
			sum += y[i]
		}
		for i := range y {
			y[i] /= sum
		}
	}
	return [][]float64{y}
}

func softmaxBackward(l *load) [][]float64 {
	gx := make([]float64, l.n)
	for r := range l.rows {
		y, gy, gx := l.values(1)[r*l.width:][:l.width], l.values(2)[r*l.width:][:l.width], gx[r*l.width:][:l.width]
		dot := 0.0
		for i := range y {
			dot += float64(y[i]) * float64(gy[i])
		}
		for i := range y {
			gx[i] = float64(y[i]) * (float64(gy[i]) - dot)
		}
	}
	return [][]float64{gx}
}

// moments are the mean and the inverse deviation of a row.
func moments(x []float32) (mean, rstd float64) {
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		d := float64(v) - mean
		rstd += d * d
	}
	return mean, 1 / math.Sqrt(rstd/float64(len(x))+eps)
}

// statistics are the moments of all rows: what the forward pass of layer_norm leaves for its backward pass.
func statistics(l *load) (mean, rstd []float32) {
	mean, rstd = make([]float32, l.rows), make([]float32, l.rows)
	for r := range mean {
		m, s := moments(l.values(0)[r*l.width:][:l.width])
		mean[r], rstd[r] = float32(m), float32(s)
	}
	return mean, rstd
}

func layerNorm(l *load) [][]float64 {
	w, b := l.values(1), l.values(2)
	y := make([]float64, l.n)
	for r := range l.rows {
		x, y := l.values(0)[r*l.width:][:l.width], y[r*l.width:][:l.width]
		mean, rstd := moments(x)
		for i, v := range x {
			y[i] = (float64(v)-mean)*rstd*float64(w[i]) + float64(b[i])
		}
	}
	return [][]float64{y}
}

func layerNormBackward(l *load) [][]float64 {
	w := l.values(1)
	gx, gw, gb := make([]float64, l.n), make([]float64, l.width), make([]float64, l.width)
	for r := range l.rows {
		x, gy, gx := l.values(0)[r*l.width:][:l.width], l.values(3)[r*l.width:][:l.width], gx[r*l.width:][:l.width]
		mean, rstd := moments(x)
		a, c := 0.0, 0.0
		for i := range x {
			h, q := (float64(x[i])-mean)*rstd, float64(gy[i])*float64(w[i])
			a += q / float64(l.width)
			c += q * h / float64(l.width)
			gw[i] += float64(gy[i]) * h
			gb[i] += float64(gy[i])
		}
		for i := range x {
			h, q := (float64(x[i])-mean)*rstd, float64(gy[i])*float64(w[i])
			gx[i] = rstd * (q - a - h*c)
		}
	}
	return [][]float64{gx, gw, gb}
}
