// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/mpa_fpdu.h"
