package main

import (
	"fmt"
	"math"

	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/nn"
	"github.com/opgen/opgen/runtime"
	"gonum.org/v1/gonum/mat"
)

// diabetes fits disease progression by ten features: y = x·w + b under the smooth L1 loss with momentum SGD, compared with the
// least-squares solution on the same data.
func diabetes() (panel, error) {
	x, err := table("diabetes_data_raw.csv.gz")
	if err != nil {
		return panel{}, err
	}
	t, err := table("diabetes_target.csv.gz")
	if err != nil {
		return panel{}, err
	}
	rows := make([][]float32, len(x))
	for i := range x {
		rows[i] = append(x[i], t[i][0])
	}
	train, test := split(rows, 0.2)
	standardize(train, test)
	fmt.Printf("\nSmooth L1 linear regression, diabetes: %d patients, %d held out\n", len(train), len(test))

	b := nn.New(runtime.F32, runtime.NewSeed(0))
	m := b.Linear(10, 1, &nn.Options{Weight: nn.Constant(0), Bias: nn.Constant(0)})
	if err := b.Err(); err != nil {
		return panel{}, err
	}
	opt, err := optim.NewMomentumSGD(nn.Tensors(m), 0.1, nil)
	if err != nil {
		return panel{}, err
	}
	xs, ts, err := columns(train)
	if err != nil {
		return panel{}, err
	}
	xe, te, err := columns(test)
	if err != nil {
		return panel{}, err
	}
	var trained, held curve
	trained.name, held.name = "training", "held out"
	for epoch := 1; epoch <= 1000; epoch++ {
		opt.ZeroGrad()
		y, err := m.Forward(xs, nn.Train(opt.Steps()+1))
		if err != nil {
			return panel{}, err
		}
		l, err := loss.SmoothL1(y, ts, nil)
		if err != nil {
			return panel{}, err
		}
		if err := l.Backward(); err != nil {
			return panel{}, err
		}
		if err := opt.Step(); err != nil {
			return panel{}, err
		}
		e, err := smoothL1(m, xe, te)
		if err != nil {
			return panel{}, err
		}
		v, err := l.Item()
		if err != nil {
			return panel{}, err
		}
		trained.values, held.values = append(trained.values, v), append(held.values, e)
		if epoch%200 == 0 {
			fmt.Printf("  epoch %4d  loss %.4f  held out %.4f\n", epoch, v, e)
		}
	}
	w, err := leastSquares(train)
	if err != nil {
		return panel{}, err
	}
	ls, err := fromWeights(w)
	if err != nil {
		return panel{}, err
	}
	lsTrain, err := smoothL1(ls, xs, ts)
	if err != nil {
		return panel{}, err
	}
	lsTest, err := smoothL1(ls, xe, te)
	if err != nil {
		return panel{}, err
	}
	last := len(trained.values) - 1
	fmt.Printf("  %-22s training %.4f  held out %.4f  R² held out %.3f\n", "smooth L1, momentum SGD", trained.values[last], held.values[last], rSquared(m, test))
	fmt.Printf("  %-22s training %.4f  held out %.4f  R² held out %.3f\n", "least squares", lsTrain, lsTest, rSquared(ls, test))
	return panel{title: "diabetes: smooth L1 regression", y: "smooth L1 loss", curves: []curve{trained, held},
		level: &level{"least squares, held out", lsTest}}, nil
}

// columns splits rows into features and target.
func columns(rows [][]float32) (x, t *runtime.Tensor, err error) {
	n := len(rows[0]) - 1
	var xs, ts []float32
	for _, r := range rows {
		xs = append(xs, r[:n]...)
		ts = append(ts, r[n])
	}
	if x, err = runtime.FromSlice(xs, len(rows), n); err != nil {
		return nil, nil, err
	}
	t, err = runtime.FromSlice(ts, len(rows), 1)
	return x, t, err
}

func smoothL1(m *nn.Linear, x, t *runtime.Tensor) (float64, error) {
	y, err := m.Forward(x, nn.Eval)
	if err != nil {
		return 0, err
	}
	l, err := loss.SmoothL1(y, t, nil)
	if err != nil {
		return 0, err
	}
	return l.Item()
}

// leastSquares solves min |X·w - t|² with a column of ones for the offset, by QR.
func leastSquares(rows [][]float32) ([]float64, error) {
	n := len(rows[0])
	a, t := mat.NewDense(len(rows), n, nil), mat.NewVecDense(len(rows), nil)
	for i, r := range rows {
		for j := range n - 1 {
			a.Set(i, j, float64(r[j]))
		}
		a.Set(i, n-1, 1)
		t.SetVec(i, float64(r[n-1]))
	}
	var w mat.VecDense
	if err := w.SolveVec(a, t); err != nil {
		return nil, fmt.Errorf("least squares: %w", err)
	}
	return w.RawVector().Data, nil
}

func fromWeights(w []float64) (*nn.Linear, error) {
	n := len(w) - 1
	f := make([]float32, n)
	for i := range f {
		f[i] = float32(w[i])
	}
	wt, err := runtime.FromSlice(f, 1, n)
	if err != nil {
		return nil, err
	}
	b, err := runtime.FromSlice([]float32{float32(w[n])}, 1)
	return &nn.Linear{Weight: wt, Bias: b}, err
}

// rSquared is the share of the variance that a model explains.
func rSquared(m *nn.Linear, rows [][]float32) float64 {
	w, err := runtime.Values[float32](m.Weight)
	if err != nil {
		return math.NaN()
	}
	b, err := m.Bias.At(0)
	if err != nil {
		return math.NaN()
	}
	var mean, res, tot float64
	n := len(rows[0]) - 1
	for _, r := range rows {
		mean += float64(r[n]) / float64(len(rows))
	}
	for _, r := range rows {
		y := b
		for j, x := range r[:n] {
			y += float64(x) * float64(w[j])
		}
		d, e := float64(r[n])-y, float64(r[n])-mean
		res += d * d
		tot += e * e
	}
	return 1 - res/tot
}
