// Prints the value of a position and of each move, with a reader that closes itself, and errors as exceptions.
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <granero.h>

#include <iostream>
#include <memory>
#include <stdexcept>

static void require(bool is_right) {
    if (!is_right) {
        throw std::runtime_error(granero_message());
    }
}

// Bounds may differ; a value that deciding tables have cut off has bounds that do.
template <typename Ranged> static bool is_known(const Ranged &ranged) {
    return ranged.low == ranged.high && ranged.low != GRANERO_NONE;
}

int main() try {
    const std::unique_ptr<granero_reader, decltype(&granero_close)> reader(granero_open("granero-db", 0),
                                                                          granero_close);
    require(reader != nullptr);
    const std::uint8_t houses[] = {0, 2, 0, 1, 1, 0, 1, 0, 2, 0, 1, 0};
    granero_root root;
    require(granero_probe_root(reader.get(), houses, &root) >= 0);
    std::cout << std::showpos;
    if (is_known(root)) {
        std::cout << "The position is worth " << int{root.low} << ".\n";
    } else {
        std::cout << "The tables do not tell.\n";
    }
    for (int i = 0; i < root.count; i++) {
        if (is_known(root.moves[i])) {
            std::cout << char('A' + root.moves[i].house) << " " << int{root.moves[i].low} << "\n";
        }
    }
} catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
}
