// Eigen's sparse matrices and their Cholesky factors, for what is done once a problem and not once a step.
#pragma once

// g++ 12 takes pointers of empty sparse matrices for null ones that are used.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnull-dereference"
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#pragma GCC diagnostic pop
