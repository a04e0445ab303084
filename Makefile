# osml: machine-learning models trained inside PostgreSQL.
#
#   make, make install, make installcheck    as with any PGXS extension
#   make demo    everything from packages to predictions, in a throwaway server
#   make test    every test, in throwaway servers; SUITES="unit tap" picks some
#   make soak    runs ended in every way, ROUNDS=300 times or another; SEED=n repeats
#   make unit    the C tests of the pure rooms; needs no PostgreSQL at all
#   make fuzz    ten million inputs to each fuzz target (RUNS=n); needs clang
#   make bench   side-by-side benchmarks, JSON in bench/results/
#   make deps    the missing packages (demo, test and bench run it themselves)
#   make cuda    the GPU module, which has its own Makefile
#
# PG_CONFIG chooses the PostgreSQL installation.  A new source file needs no
# edit here: wildcards find it.  Next file to read: src/README.md.

PG_CONFIG ?= pg_config
export PG_CONFIG

EXTENSION = osml
DATA = osml--1.0.sql
MODULE_big = osml
# own calls bind to own functions, which loads faster and calls faster
SHLIB_LINK += -Wl,-Bsymbolic

# OpenBLAS starts threads when it is loaded, so its user is a module of its
# own that only a trainer opens.
BLAS_SRC = src/compute/blas.c
SRCS = $(filter-out $(BLAS_SRC),$(wildcard src/*.c src/*/*.c src/*/*/*.c))
OBJS = $(SRCS:.c=.o)

# Rooms without PostgreSQL; the same list stands in test/unit/Makefile.
PURE_ROOMS = csv features model rules compute
PURE_OBJS = $(filter $(PURE_ROOMS:%=src/%/%),$(OBJS))

# -isystem: the server's headers are not ours to fix, and gcc then ignores the
# -I that PGXS adds for the same folder.  Unused parameters are allowed because
# PostgreSQL's call conventions and our tables of functions dictate signatures.
# -MMD -MP: an edited header rebuilds what includes it.
PG_CPPFLAGS = -Isrc -isystem $(shell $(PG_CONFIG) --includedir-server) -MMD -MP
PG_CFLAGS = -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter

# Kernels: vectorised, but every backend must round alike, hence no contraction
# into fused multiply-adds.  Nobody reads errno after a square root, and a loop
# that must set it stays scalar: the same bits, Adam three times as slow.  Calls
# inside the module bind directly.
PURE_CFLAGS = -O3 -ffp-contract=off -fno-math-errno -fno-semantic-interposition

REGRESS = $(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=osml

EXTRA_CLEAN = $(patsubst %.c,%.d,$(wildcard src/*.c src/*/*.c src/*/*/*.c)) \
	$(BLAS_SRC:.c=.o) osml_blas.so test/unit/build test/fuzz/build tmp_check

# Bitcode would need clang and buys nothing here: no operator of ours is small
# enough to be inlined into a JIT-compiled expression.
override with_llvm = no

all:                            # the default, also where PGXS is missing

# A client's package may have PGXS too; without the headers it is of no use.
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))
ifeq ($(wildcard $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)/postgres.h),)
PGXS :=
endif
ifneq ($(PGXS),)
include $(PGXS)
all:
	@:
else
all install uninstall installcheck:
	@echo "$(PG_CONFIG) finds no server development files:" \
		"run 'make deps' or set PG_CONFIG" >&2; exit 1
clean:
	rm -rf $(OBJS) $(EXTRA_CLEAN)
endif

$(PURE_OBJS) $(BLAS_SRC:.c=.o): override CFLAGS += $(PURE_CFLAGS)
$(BLAS_SRC:.c=.o): override CPPFLAGS += -DOSML_PG_MODULE

-include $(OBJS:.o=.d) $(BLAS_SRC:.c=.d)

# --- osml_blas: optional, built where OpenBLAS is -----------------------------

BLAS_LIBS ?= -lopenblas
BLAS_MODULE = osml_blas$(DLSUFFIX)

ifneq ($(PGXS),)
ifneq ($(wildcard $(BLAS_SRC)),)
ifeq ($(shell echo 'int main(void) { return 0; }' | $(CC) -include cblas.h \
	-x c - $(BLAS_LIBS) -o /dev/null 2>/dev/null && echo yes),yes)

all: $(BLAS_MODULE)
$(BLAS_MODULE): $(BLAS_SRC:.c=.o)
	$(LINK.shared) -o $@ $< $(LDFLAGS) $(LDFLAGS_SL) $(BLAS_LIBS)

install: install-blas
install-blas: $(BLAS_MODULE) installdirs
	$(INSTALL_SHLIB) $< '$(DESTDIR)$(pkglibdir)/'

else
all: no-blas
no-blas:
	@echo "note: OpenBLAS (libopenblas-dev) not found, osml_blas is not built"
endif
endif

uninstall: uninstall-blas
uninstall-blas:
	rm -f '$(DESTDIR)$(pkglibdir)/$(BLAS_MODULE)'
endif

# --- demo, tests, benchmarks ---------------------------------------------------

# These first run deps, which may bring pg_config itself, and only then a second
# make that reads PGXS.  They are scripts; make only keeps the order.
SUB = @$(MAKE) --no-print-directory

deps:
	@test/deps

demo test bench: deps
	$(SUB) -s -j$$(nproc) all
	@MAKE='$(MAKE)' KEEP='$(KEEP)' SUITES='$(SUITES)' $@/run

# The short version of it is part of make test.
soak: deps
	$(SUB) -s -j$$(nproc) all
	@MAKE='$(MAKE)' SUITES=tap TAP=170_kills VERBOSE=1 ROUNDS=$${ROUNDS:-300} SEED=$$SEED \
		test/run

unit:
	@MAKE='$(MAKE)' test/run unit

fuzz: deps
	$(SUB) -j$$(nproc) -C test/fuzz run

cuda:
	$(SUB) -C cuda

clean: clean-cuda
clean-cuda:
	$(SUB) -C cuda clean

.PHONY: all deps demo test soak bench unit fuzz cuda clean clean-cuda no-blas \
	install install-blas uninstall uninstall-blas installcheck
