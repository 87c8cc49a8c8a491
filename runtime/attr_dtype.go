package runtime

// DType is a dtype or its name, or NoDType where it isn't given.
func (r *AttrReader) DType(name string) DType {
	v, ok := r.get(name)
	if !ok {
		return NoDType
	}
	switch x := v.(type) {
	case DType:
		return x
	case string:
		if d, err := ParseDType(x); err == nil {
			return d
		}
	}
	r.fail(name, "a dtype", v)
	return NoDType
}
