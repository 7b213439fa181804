// Looks all positions after two moves up at once, with tables that close themselves, and errors as
// exceptions.
//
//     c++ -std=c++17 batch.cpp $(pkg-config --cflags --libs granero) -o batch
//     ./batch [POSITION [granero-db]]
#include <granero.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace granero {

using Position = std::array<std::uint8_t, GRANERO_HOUSES>;

// Returns true if there is an answer; throws errors.
bool check(GraneroStatus status) {
    if (status < 0) {
        throw std::runtime_error(granero_message());
    }
    return status == GRANERO_OK;
}

Position parse(const char *text) {
    Position position;
    check(granero_parse_position(text, position.data()));
    return position;
}

class Tables {
public:
    static Tables open(const char *directory) {
        GraneroTables *opened = nullptr;
        check(granero_open(directory, &opened));
        return Tables(opened);
    }

    static Tables sample() {
        GraneroTables *opened = nullptr;
        check(granero_open_sample(GRANERO_CYCLES_SPLIT, &opened));
        return Tables(opened);
    }

    std::vector<GraneroMove> moves(const Position &position) const {
        GraneroTurn turn;
        check(granero_moves(granero_rules(tables.get()), position.data(), &turn));
        return {turn.moves, turn.moves + turn.count};
    }

    // The least that each position is worth; GRANERO_NONE beyond the tables.
    std::vector<std::int8_t> probe(const std::vector<Position> &positions) const {
        std::vector<std::int8_t> low(positions.size());
        const auto *houses = reinterpret_cast<const std::uint8_t *>(positions.data());
        check(granero_probe_many(tables.get(), houses, positions.size(), low.data(), nullptr));
        return low;
    }

private:
    explicit Tables(GraneroTables *opened) : tables(opened, granero_close) {}

    std::unique_ptr<GraneroTables, void (*)(GraneroTables *)> tables;
};

} // namespace granero

int main(int argc, char **argv) try {
    const auto tables =
        argc > 2 ? granero::Tables::open(argv[2]) : granero::Tables::sample();
    const auto start = granero::parse(argc > 1 ? argv[1] : "0 1 0 2 0 1 / 0 2 0 1 1 0");

    std::vector<granero::Position> reached;
    for (const auto &first : tables.moves(start)) {
        granero::Position next;
        std::copy(std::begin(first.position), std::end(first.position), next.begin());
        for (const auto &second : tables.moves(next)) {
            reached.emplace_back();
            std::copy(std::begin(second.position), std::end(second.position),
                      reached.back().begin());
        }
    }
    int won = 0;
    for (const auto value : tables.probe(reached)) {
        won += value != GRANERO_NONE && value > 0;
    }
    std::cout << reached.size() << " positions after two moves, " << won << " of them won.\n";
} catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
}
