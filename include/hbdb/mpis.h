/* Which libraries and launchers are of which MPI, by name: the one list for all of hbdb. A name counts when it begins so;
 * the first that fits. MPICH's ABI is also that of Intel MPI, MVAPICH, Cray MPICH and ParaStation MPI. */
#ifndef HBDB_MPIS_H
#define HBDB_MPIS_H

#include <string.h>

enum hb_mpi_family {
	HB_MPI_UNKNOWN = 0,
	HB_MPI_OPENMPI = 1,
	HB_MPI_MPICH = 2,
	HB_MPI_STANDARD = 3, /* the ABI of MPI 5: not yet */
};

enum hb_mpi_part {
	HB_PART_NONE,
	HB_PART_CORE,    /* the functions of C */
	HB_PART_BINDING, /* of another language: it calls those of C for the program */
	HB_PART_BELOW,   /* what the library is made of */
	HB_PART_SHARED,  /* likewise, and other programs use it */
};

struct hb_mpi_library {
	const char *begins;
	enum hb_mpi_family family;
	enum hb_mpi_part part;
};

static inline const struct hb_mpi_library *hb_mpi_library_of(const char *path)
{
	static const struct hb_mpi_library list[] = {
		{"libmpi_abi", HB_MPI_STANDARD, HB_PART_CORE},
		{"libmpi.so.12", HB_MPI_MPICH, HB_PART_CORE}, /* MPICH, Intel MPI, MVAPICH */
		{"libmpich.so", HB_MPI_MPICH, HB_PART_CORE},  /* Debian's MPICH, older MVAPICH */
		{"libmpich_", HB_MPI_MPICH, HB_PART_CORE},    /* Cray, before its libmpi_*.so.12 */
		{"libmpi_cray", HB_MPI_MPICH, HB_PART_CORE},
		{"libmpi_gnu", HB_MPI_MPICH, HB_PART_CORE},
		{"libmpi_intel", HB_MPI_MPICH, HB_PART_CORE},
		{"libmpi_amd", HB_MPI_MPICH, HB_PART_CORE},
		{"libmpi_aocc", HB_MPI_MPICH, HB_PART_CORE},
		{"libmpi_nvidia", HB_MPI_MPICH, HB_PART_CORE},
		{"libpmpi.so", HB_MPI_MPICH, HB_PART_CORE},
		{"libmpifort", HB_MPI_MPICH, HB_PART_BINDING}, /* also Cray's libmpifort_*.so.12 */
		{"libmpichfort", HB_MPI_MPICH, HB_PART_BINDING},
		{"libmpichf90", HB_MPI_MPICH, HB_PART_BINDING},
		{"libfmpich", HB_MPI_MPICH, HB_PART_BINDING},
		{"libmpicxx", HB_MPI_MPICH, HB_PART_BINDING},
		{"libmpichcxx", HB_MPI_MPICH, HB_PART_BINDING},
		{"libmpi_ibm_mpifh", HB_MPI_OPENMPI, HB_PART_BINDING}, /* Spectrum MPI */
		{"libmpi_ibm_usempi", HB_MPI_OPENMPI, HB_PART_BINDING},
		{"libmpi_ibm", HB_MPI_OPENMPI, HB_PART_CORE},
		{"libmpi_mpifh", HB_MPI_OPENMPI, HB_PART_BINDING},
		{"libmpi_usempi", HB_MPI_OPENMPI, HB_PART_BINDING},
		{"libmpi_cxx", HB_MPI_OPENMPI, HB_PART_BINDING},
		{"libmpi_java", HB_MPI_OPENMPI, HB_PART_BINDING},
		{"libmpi.so.", HB_MPI_OPENMPI, HB_PART_CORE},
		{"libmpi.so", HB_MPI_UNKNOWN, HB_PART_CORE},
		{"libopen-", HB_MPI_OPENMPI, HB_PART_BELOW},
		{"libprrte", HB_MPI_OPENMPI, HB_PART_BELOW},
		{"libompi", HB_MPI_OPENMPI, HB_PART_BELOW},
		{"mca_", HB_MPI_OPENMPI, HB_PART_BELOW},
		{"libmca_", HB_MPI_OPENMPI, HB_PART_BELOW},
		{"libpmix", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"pmix_mca_", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"libpmi", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"libucp", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"libuct", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"libucs", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"libucm", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"libhcoll", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"libhbdb-farm", HB_MPI_UNKNOWN, HB_PART_NONE}, /* a library for programs */
		{"libhbdb-", HB_MPI_UNKNOWN, HB_PART_BELOW},
		{"libfabric", HB_MPI_UNKNOWN, HB_PART_SHARED},
		{"libpsm", HB_MPI_UNKNOWN, HB_PART_SHARED},
	};
	static const struct hb_mpi_library none;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strncmp(name, list[i].begins, strlen(list[i].begins)))
			return &list[i];
	return &none;
}

enum hb_launcher_kind {
	HB_LAUNCHER_NONE,  /* a program or a script: plain environment */
	HB_LAUNCHER_ANY,   /* a name that several have: the file tells */
	HB_LAUNCHER_ORTE,  /* Open MPI's mpirun */
	HB_LAUNCHER_HYDRA, /* MPICH's, Intel MPI's */
	HB_LAUNCHER_SRUN,  /* Slurm's */
	HB_LAUNCHER_APRUN, /* Cray's */
	HB_LAUNCHER_JSRUN, /* IBM's */
	HB_LAUNCHER_RSH,   /* MVAPICH's */
};

struct hb_mpi_launcher {
	const char *name;
	enum hb_launcher_kind kind;
	enum hb_mpi_family family;
};

static inline const struct hb_mpi_launcher *hb_mpi_launcher_of(const char *path)
{
	static const struct hb_mpi_launcher list[] = {
		{"mpirun", HB_LAUNCHER_ANY, HB_MPI_UNKNOWN},
		{"mpiexec", HB_LAUNCHER_ANY, HB_MPI_UNKNOWN},
		{"orterun", HB_LAUNCHER_ORTE, HB_MPI_OPENMPI},
		{"prterun", HB_LAUNCHER_ORTE, HB_MPI_OPENMPI},
		{"prte", HB_LAUNCHER_ORTE, HB_MPI_OPENMPI},
		{"mpirun.openmpi", HB_LAUNCHER_ORTE, HB_MPI_OPENMPI},
		{"mpiexec.openmpi", HB_LAUNCHER_ORTE, HB_MPI_OPENMPI},
		{"mpiexec.hydra", HB_LAUNCHER_HYDRA, HB_MPI_MPICH},
		{"mpirun.hydra", HB_LAUNCHER_HYDRA, HB_MPI_MPICH},
		{"hydra_mpiexec", HB_LAUNCHER_HYDRA, HB_MPI_MPICH},
		{"mpirun.mpich", HB_LAUNCHER_HYDRA, HB_MPI_MPICH},
		{"mpiexec.mpich", HB_LAUNCHER_HYDRA, HB_MPI_MPICH},
		{"mpirun_rsh", HB_LAUNCHER_RSH, HB_MPI_MPICH},
		{"aprun", HB_LAUNCHER_APRUN, HB_MPI_MPICH},
		{"srun", HB_LAUNCHER_SRUN, HB_MPI_UNKNOWN},
		{"jsrun", HB_LAUNCHER_JSRUN, HB_MPI_UNKNOWN},
	};
	static const struct hb_mpi_launcher none;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strcmp(name, list[i].name))
			return &list[i];
	return &none;
}

#endif
