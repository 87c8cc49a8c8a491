package cuda

// For the tests of whole ops, which import the pipeline and so lie outside of the package.
var (
	Program   = program
	Needed    = needed
	Paths     = paths
	Unrounded = unrounded
)

// Quiet is a test that may fail.
type Quiet = quiet
