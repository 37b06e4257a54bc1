// The interface from C++: lambdas without captures are functions.
#include <cstdio>

#include <hbdb/farm.h>

int main(int argc, char **argv)
{
	hb_farm_program program{};
	program.data_generator = [] {
		for (double x = 0; x < 10; x++)
			hb_farm_do_task(&x, sizeof x);
	};
	program.compute = [](const void *task, size_t, hb_farm_out *out) {
		double y = *static_cast<const double *>(task) * 2;
		hb_farm_put(out, &y, sizeof y);
	};
	program.result_receiver = [] {
		double sum = 0;
		for (hb_farm_bytes r; hb_farm_get_result(&r);)
			sum += *static_cast<const double *>(r.data);
		std::printf("%g\n", sum);
	};
	if (hb_farm_run(&program, &argc, &argv) < 0) {
		std::fputs(hb_farm_error(), stderr);
		return 1;
	}
	return 0;
}
