// Blocks of operator new: by the line of the program, and standard containers by what their allocator says.
#include <cstdio>
#include <vector>

#include <hbdb/compare.h>

int main()
{
	std::vector<double> v(16);
	double *n = new double[16]; // @n
	std::vector<int> k(10, 1);
	__asm__ volatile("" : : "r"(v.data()), "r"(n), "r"(k.data()) : "memory"); // somebody else may look at them
	hb_loop("x");
	for (int i = 1; i < 10; i++) {
		hb_iteration(i);
		n[i] = v[i] + k[i];
	}
	hb_loop_end("x");
	printf("%g\n", n[3]);
	delete[] n;
}
