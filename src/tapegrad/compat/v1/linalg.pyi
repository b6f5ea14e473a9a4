# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.ops.clip import global_norm as global_norm
from tapegrad.ops.creation import eye as eye
from tapegrad.ops.decompositions import cholesky as cholesky
from tapegrad.ops.decompositions import cholesky_solve as cholesky_solve
from tapegrad.ops.decompositions import eigh as eigh
from tapegrad.ops.decompositions import eigvalsh as eigvalsh
from tapegrad.ops.decompositions import logdet as logdet
from tapegrad.ops.decompositions import lstsq as lstsq
from tapegrad.ops.decompositions import lu as lu
from tapegrad.ops.decompositions import matrix_rank as matrix_rank
from tapegrad.ops.decompositions import pinv as pinv
from tapegrad.ops.decompositions import qr as qr
from tapegrad.ops.decompositions import svd as svd
from tapegrad.ops.diagonals import band_part as band_part
from tapegrad.ops.diagonals import set_diag as set_diag
from tapegrad.ops.diagonals import tensor_diag as tensor_diag
from tapegrad.ops.einsum import einsum as einsum
from tapegrad.ops.linalg import adjoint as adjoint
from tapegrad.ops.linalg import cross as cross
from tapegrad.ops.linalg import matvec as matvec
from tapegrad.ops.linalg import normalize as normalize
from tapegrad.ops.linalg import tensordot as tensordot
from tapegrad.ops.matrix_functions import expm as expm
from tapegrad.ops.matrix_functions import logm as logm
from tapegrad.ops.matrix_functions import sqrtm as sqrtm
from tapegrad.ops.nn import l2_normalize as l2_normalize
from tapegrad.ops.solvers import det as det
from tapegrad.ops.solvers import inv as inv
from tapegrad.ops.solvers import slogdet as slogdet
from tapegrad.ops.solvers import solve as solve
from tapegrad.ops.solvers import triangular_solve as triangular_solve
from tapegrad.ops.tridiagonal import eigh_tridiagonal as eigh_tridiagonal
from tapegrad.ops.tridiagonal import lu_matrix_inverse as lu_matrix_inverse
from tapegrad.ops.tridiagonal import lu_reconstruct as lu_reconstruct
from tapegrad.ops.tridiagonal import lu_solve as lu_solve
from tapegrad.ops.tridiagonal import tridiagonal_matmul as tridiagonal_matmul
from tapegrad.ops.tridiagonal import tridiagonal_solve as tridiagonal_solve
