package main

import "testing"

// TestTraining runs both trainings: the regression must do at least as well as least squares by its own measure, and the
// network must read 96 % of the held-out digits (digits reports an error otherwise).
func TestTraining(t *testing.T) {
	p, err := diabetes()
	if err != nil {
		t.Fatal(err)
	}
	values := p.curves[1].values
	if last := values[len(values)-1]; last > p.level.value {
		t.Errorf("held-out smooth L1 %.4f, least squares has %.4f", last, p.level.value)
	}
	if _, err := digits(); err != nil {
		t.Fatal(err)
	}
}
