# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.clip import global_norm as global_norm
from tapegrad.signatures.creation import eye as eye
from tapegrad.signatures.decompositions import cholesky as cholesky
from tapegrad.signatures.decompositions import cholesky_solve as cholesky_solve
from tapegrad.signatures.decompositions import eigh as eigh
from tapegrad.signatures.decompositions import eigvalsh as eigvalsh
from tapegrad.signatures.decompositions import logdet as logdet
from tapegrad.signatures.decompositions import lstsq as lstsq
from tapegrad.signatures.decompositions import lu as lu
from tapegrad.signatures.decompositions import matrix_rank as matrix_rank
from tapegrad.signatures.decompositions import pinv as pinv
from tapegrad.signatures.decompositions import qr as qr
from tapegrad.signatures.decompositions import svd as svd
from tapegrad.signatures.diagonals import band_part as band_part
from tapegrad.signatures.diagonals import set_diag as set_diag
from tapegrad.signatures.diagonals import tensor_diag as tensor_diag
from tapegrad.signatures.einsum import einsum as einsum
from tapegrad.signatures.linalg import adjoint as adjoint
from tapegrad.signatures.linalg import cross as cross
from tapegrad.signatures.linalg import matvec as matvec
from tapegrad.signatures.linalg import tensordot as tensordot
from tapegrad.signatures.matrix_functions import expm as expm
from tapegrad.signatures.matrix_functions import logm as logm
from tapegrad.signatures.matrix_functions import sqrtm as sqrtm
from tapegrad.signatures.nn import l2_normalize as l2_normalize
from tapegrad.signatures.norms import normalize as normalize
from tapegrad.signatures.solvers import det as det
from tapegrad.signatures.solvers import inv as inv
from tapegrad.signatures.solvers import slogdet as slogdet
from tapegrad.signatures.solvers import solve as solve
from tapegrad.signatures.solvers import triangular_solve as triangular_solve
from tapegrad.signatures.tridiagonal import eigh_tridiagonal as eigh_tridiagonal
from tapegrad.signatures.tridiagonal import lu_matrix_inverse as lu_matrix_inverse
from tapegrad.signatures.tridiagonal import lu_reconstruct as lu_reconstruct
from tapegrad.signatures.tridiagonal import lu_solve as lu_solve
from tapegrad.signatures.tridiagonal import tridiagonal_matmul as tridiagonal_matmul
from tapegrad.signatures.tridiagonal import tridiagonal_solve as tridiagonal_solve
