// Prints the value of a position and of each move, through JNA.
// SPDX-License-Identifier: MIT OR Apache-2.0
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;

public class Values {
    static final byte NONE = -128;

    public interface Granero extends Library {
        Granero GRANERO = Native.load("granero", Granero.class);

        String granero_message();
        Pointer granero_open(String directory, long cacheBytes);
        void granero_close(Pointer reader);
        int granero_probe_root(Pointer reader, byte[] houses, Root root);
    }

    @Structure.FieldOrder({"house", "captured", "conceded", "houses", "low", "high"})
    public static class Move extends Structure {
        public byte house, captured, conceded;
        public byte[] houses = new byte[12];
        public byte low, high;
    }

    @Structure.FieldOrder({"low", "high", "count", "moves"})
    public static class Root extends Structure {
        public byte low, high, count;
        public Move[] moves = new Move[6];
    }

    static void require(boolean isRight) {
        if (!isRight) {
            throw new IllegalStateException(Granero.GRANERO.granero_message());
        }
    }

    /** Bounds may differ; a value that deciding tables have cut off has bounds that do. */
    static boolean isKnown(byte low, byte high) {
        return low == high && low != NONE;
    }

    public static void main(String[] arguments) {
        Granero granero = Granero.GRANERO;
        Pointer reader = granero.granero_open("granero-db", 0);
        require(reader != null);
        try {
            byte[] houses = {0, 2, 0, 1, 1, 0, 1, 0, 2, 0, 1, 0};
            Root root = new Root();
            require(granero.granero_probe_root(reader, houses, root) >= 0);
            if (isKnown(root.low, root.high)) {
                System.out.printf("The position is worth %+d.%n", root.low);
            } else {
                System.out.println("The tables do not tell.");
            }
            for (int i = 0; i < root.count; i++) {
                Move move = root.moves[i];
                if (isKnown(move.low, move.high)) {
                    System.out.printf("%c %+d%n", 'A' + move.house, move.low);
                }
            }
        } finally {
            granero.granero_close(reader);
        }
    }
}
