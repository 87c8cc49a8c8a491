package runtime

// GeneratedCodeV1 is the handshake of generated code with this package: generated files mention it. If the compiler says
// that it is undefined, the generated code and this package are of different versions: run
//
//	go get github.com/opgen/opgen@latest && go generate ./...
//
// (or opgen generate) in the module that holds the generated code.
//
// Generated code relies on the following, in the order in which a call uses it. Everything else in this package may
// change without a new number.
//
//   - [Signature], [Param], [Dim], [Axis], [Var], [Elem], [Placed]: static data, one for each op, variant and backward.
//   - [Placement], [PlaceAxis], [PlaceAxes]: where the caller places axes. [CheckList], [Entry]: lists; [Seed]: random numbers.
//   - [AttrError], [RequireError]: an attribute that breaks a condition, a requirement with a text of its own.
//   - [Bound]: [Signature.Bind], [Signature.BindNew], [BindSlices], [BindMixed] of [SliceOf], or [Signature.BindInputs] (or its halves, [Signature.BindAxes]
//     and [Signature.BindProducts]) and [Signature.BindOutputs]; before it [Bound.Count]; then Ext, DType, Ptr, [Bound.Address] and [Bound.Move]; [Bound.Scratch], [Bound.Spare], [Reorder];
//     [Bound.CheckIndex], [Bound.CheckIndexBelow]; [Bound.Finish] or [Bound.Fail].
//   - [Batch]: the axes that a launch is repeated along; [Bound.Truths], [Bound.Indices]: conditions and indices that kernels read.
//   - [Args], [Kernel], [Plan], [Operand], [Sums]: a launch. [Serial] says whether to call the kernel directly; else [Launch].
//   - [PathOf]: which kernel. [Splat], [Slice], [At], [FMA32] and their neighbours in portable.go: what kernels are made of.
//   - [Elements], [Temp], [Bound.Derive], [Bound.DerivePack], [Bound.PackExt], [Bound.HasRank], [Bound.FixPack], [ShapeError], [AnyUnset], [ValueError], [RangeError], [IndexError] and the functions of general.go: what
//     functions without kernels are made of.
//   - [Bound.Choose]: a dtype that the caller decides; [Bound.Lowest], [Bound.Highest], [Bound.Epsilon]: the limits of one.
//   - [NeedsGrad], [Record], [Saved], [Backprop]: gradients.
//   - [Bound.Repeat], [Bound.Idle]: launches that are the same for all small tensors of an optimizer.
//   - [Rule], [State], [Total], [Slot], [Attributes], [EnumAttr], [OptionalAttr], [SeedAttr], [NewOptimizer], [Optimizer]: updates of many tensors together.
//   - [Register], [Op], [AttrInfo], [AttrReader]: the registry.
const GeneratedCodeV1 = 1
