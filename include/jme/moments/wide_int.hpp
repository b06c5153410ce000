#pragma once

namespace jme {

/// 128 bits: an exact sum of any number of products of lattice rows (2^40 each) that a computer can read.
__extension__ using WideInt = __int128;

}  // namespace jme
