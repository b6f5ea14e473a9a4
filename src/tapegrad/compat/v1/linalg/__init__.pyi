# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.linear_operators.bands import LinearOperatorToeplitz as LinearOperatorToeplitz
from tapegrad.linear_operators.bands import LinearOperatorTridiag as LinearOperatorTridiag
from tapegrad.linear_operators.blocks import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from tapegrad.linear_operators.blocks import LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular
from tapegrad.linear_operators.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from tapegrad.linear_operators.circulant import LinearOperatorCirculant2D as LinearOperatorCirculant2D
from tapegrad.linear_operators.circulant import LinearOperatorCirculant3D as LinearOperatorCirculant3D
from tapegrad.linear_operators.combined import LinearOperatorAdjoint as LinearOperatorAdjoint
from tapegrad.linear_operators.combined import LinearOperatorComposition as LinearOperatorComposition
from tapegrad.linear_operators.combined import LinearOperatorInversion as LinearOperatorInversion
from tapegrad.linear_operators.combined import LinearOperatorKronecker as LinearOperatorKronecker
from tapegrad.linear_operators.identity import LinearOperatorIdentity as LinearOperatorIdentity
from tapegrad.linear_operators.identity import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from tapegrad.linear_operators.identity import LinearOperatorZeros as LinearOperatorZeros
from tapegrad.linear_operators.low_rank import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from tapegrad.linear_operators.matrices import LinearOperatorDiag as LinearOperatorDiag
from tapegrad.linear_operators.matrices import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from tapegrad.linear_operators.matrices import LinearOperatorHouseholder as LinearOperatorHouseholder
from tapegrad.linear_operators.matrices import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from tapegrad.linear_operators.matrices import LinearOperatorPermutation as LinearOperatorPermutation
from tapegrad.linear_operators.operator import LinearOperator as LinearOperator
from tapegrad.signatures.linalg.decompositions import cholesky as cholesky
from tapegrad.signatures.linalg.decompositions import cholesky_solve as cholesky_solve
from tapegrad.signatures.linalg.decompositions import eigh as eigh
from tapegrad.signatures.linalg.decompositions import eigvalsh as eigvalsh
from tapegrad.signatures.linalg.decompositions import logdet as logdet
from tapegrad.signatures.linalg.decompositions import lstsq as lstsq
from tapegrad.signatures.linalg.decompositions import lu as lu
from tapegrad.signatures.linalg.decompositions import matrix_rank as matrix_rank
from tapegrad.signatures.linalg.decompositions import pinv as pinv
from tapegrad.signatures.linalg.decompositions import qr as qr
from tapegrad.signatures.linalg.decompositions import svd as svd
from tapegrad.signatures.linalg.diagonals import band_part as band_part
from tapegrad.signatures.linalg.diagonals import set_diag as set_diag
from tapegrad.signatures.linalg.diagonals import tensor_diag as tensor_diag
from tapegrad.signatures.linalg.einsum import einsum as einsum
from tapegrad.signatures.linalg.matrix_functions import expm as expm
from tapegrad.signatures.linalg.matrix_functions import logm as logm
from tapegrad.signatures.linalg.matrix_functions import sqrtm as sqrtm
from tapegrad.signatures.linalg.norms import normalize as normalize
from tapegrad.signatures.linalg.products import adjoint as adjoint
from tapegrad.signatures.linalg.products import cross as cross
from tapegrad.signatures.linalg.products import matvec as matvec
from tapegrad.signatures.linalg.products import tensordot as tensordot
from tapegrad.signatures.linalg.solvers import det as det
from tapegrad.signatures.linalg.solvers import inv as inv
from tapegrad.signatures.linalg.solvers import slogdet as slogdet
from tapegrad.signatures.linalg.solvers import solve as solve
from tapegrad.signatures.linalg.solvers import triangular_solve as triangular_solve
from tapegrad.signatures.linalg.tridiagonal import eigh_tridiagonal as eigh_tridiagonal
from tapegrad.signatures.linalg.tridiagonal import lu_matrix_inverse as lu_matrix_inverse
from tapegrad.signatures.linalg.tridiagonal import lu_reconstruct as lu_reconstruct
from tapegrad.signatures.linalg.tridiagonal import lu_solve as lu_solve
from tapegrad.signatures.linalg.tridiagonal import tridiagonal_matmul as tridiagonal_matmul
from tapegrad.signatures.linalg.tridiagonal import tridiagonal_solve as tridiagonal_solve
from tapegrad.signatures.nn.normalization import l2_normalize as l2_normalize
from tapegrad.signatures.reduce.clip import global_norm as global_norm
from tapegrad.signatures.shape.creation import eye as eye
from tapegrad.v1.functions import norm as norm
from tapegrad.linalg import diag as _diag
from tapegrad.linalg import diag_part as _diag_part
from tapegrad.linalg import matmul as _matmul
from tapegrad.linalg import matrix_transpose as _matrix_transpose
from tapegrad.linalg import tensor_diag_part as _tensor_diag_part
from tapegrad.linalg import trace as _trace
from tapegrad.compat.v1.linalg import experimental as experimental

diag = _diag
diag_part = _diag_part
matmul = _matmul
matrix_transpose = _matrix_transpose
tensor_diag_part = _tensor_diag_part
trace = _trace
