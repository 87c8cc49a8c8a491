package torch

// algebra are products.
func algebra() map[string]form {
	matmul := func(a *arguments) {
		x, z := a.rank("x") > 1, a.rank("z") > 1
		a.g.op = "linalg." + map[[2]bool]string{{false, false}: "dot", {true, true}: "matmul", {true, false}: "matvec", {false, true}: "vecmat"}[[2]bool{x, z}]
	}
	return map[string]form{
		"nn.linear":            {op: "linalg.linear", args: "x weight=w bias=b"},
		"nn.bilinear":          {op: "linalg.bilinear", args: "x z weight=w bias=b"},
		"dot":                  {op: "linalg.dot", args: "x z"},
		"vdot":                 {op: "linalg.dot", args: "x z"},
		"outer":                {op: "linalg.outer", args: "x z"},
		"mv":                   {op: "linalg.mv", args: "x z"},
		"mm":                   {op: "linalg.matmul", args: "x z"},
		"bmm":                  {op: "linalg.matmul", args: "x z"},
		"matmul":               {op: "linalg.matmul", args: "x z", say: matmul},
		"addmm":                {op: "linalg.addmm", args: "c x z beta alpha"},
		"addmv":                {op: "linalg.addmv", args: "c x z beta alpha"},
		"baddbmm":              {op: "linalg.baddbmm", args: "c x z beta alpha"},
		"addbmm":               {op: "linalg.addbmm", args: "c x z beta alpha"},
		"addr":                 {op: "linalg.addr", args: "c x z beta alpha"},
		"nn.cosine_similarity": {op: "linalg.cosine_similarity", args: "x z dim=axis eps", say: func(a *arguments) { a.meet("dim", 1) }},
		"nn.pairwise_distance": {op: "linalg.pairwise_distance", args: "x z p eps keepdim=keepdims", say: func(a *arguments) { a.meet("", -1) }},
		"nn.normalize":         {op: "linalg.normalize", args: "x p dim=axis eps"},
		"cross":                {op: "linalg.cross", args: "x z dim=axis", say: cross},
		"linalg.cross":         {op: "linalg.cross", args: "x z dim=axis", say: func(a *arguments) { a.meet("dim", -1) }},
		"linalg.vecdot":        {op: "linalg.vecdot", args: "x z dim=axis", say: func(a *arguments) { a.meet("dim", -1) }},
		"trace":                {op: "linalg.trace", args: "x"},
		"tril":                 {op: "linalg.tril", args: "x diagonal"},
		"triu":                 {op: "linalg.triu", args: "x diagonal"},
		"dist":                 {op: "linalg.dist", args: "x z p"},
		"tensordot":            {op: "linalg.matmul", args: "x z dims!", say: tensordot},
		"einsum":               {op: "linalg.matmul", args: "operands! equation!", say: einsum},
		"nn._scaled_dot_product_attention": {op: "attention.scaled_dot_product_attention", args: "q k v attn_mask! dropout_p! need_attn_weights- is_causal=causal",
			say: func(a *arguments) {
				if a.number("dropout_p", 0) != 0 {
					a.refuse("random numbers differ")
				}
				if m := a.tensor("attn_mask"); m != nil && m.DType == "bool" {
					a.set("mask", m)
				} else if m != nil {
					a.set("bias", m)
				}
			}},
	}
}

// cross goes along the first axis with three elements, if none is named.
func cross(a *arguments) {
	if _, ok := a.numbers("dim"); !ok {
		x, z := a.tensor("x").Shape, a.tensor("z").Shape
		n := max(len(x), len(z))
		for i := range n {
			j, k := i-n+len(x), i-n+len(z)
			if j >= 0 && x[j] == 3 || k >= 0 && z[k] == 3 {
				a.given["dim"] = float64(i)
				a.set("axis", float64(i))
				break
			}
		}
	}
	a.meet("dim", -1)
}
