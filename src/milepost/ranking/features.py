"""placeholder"""
import numpy as np
BM25_K1 = 0.9
BM25_B = 0.4
