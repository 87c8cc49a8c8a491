"""Writes the files of this folder with NumPy: python3 make.py"""
import numpy as np
from numpy.lib import format

extremes = {}
for name in "i1 i2 i4 i8 u1 u2 u4 u8".split():
    info = np.iinfo(name)
    extremes[name] = np.array([[0, 1, info.max], [info.min, 7, info.max // 3]], dtype=name)
for name in "f2 f4 f8".split():
    info = np.finfo(name)
    extremes[name] = np.array([[0, -0.0, info.max], [info.smallest_subnormal, np.nan, -np.inf]], dtype=name)
extremes["b1"] = np.array([[True, False, True], [False, False, True]])

counting = np.arange(24, dtype="i4").reshape(2, 3, 4)
np.savez("little.npz", **extremes)
np.savez_compressed("big.npz", **{n: a.astype(a.dtype.newbyteorder(">")) for n, a in extremes.items()})
np.savez("shapes.npz", number=np.array(2.5), empty=np.zeros((3, 0, 2), "f4"), one=np.arange(3, dtype="u1"),
         fortran=np.asfortranarray(counting), c=counting, column=np.asfortranarray(np.ones((5, 1), "f4")))
for version in (1, 2, 3):
    with open(f"version{version}.npy", "wb") as f:
        format.write_array(f, counting.astype(">i2"), version=(version, 0))
