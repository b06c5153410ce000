// A worker that sums rows for jme, written from docs/block-format.md alone: plain Java 17, no dependencies.
// java BlockWorker.java block_vectors.txt   checks it against the test vectors; exits with 1 at the first difference.
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class BlockWorker {
  static final double ONE = 0x1p20; // lattice units
  static final long LATTICE = 1L << 20;
  static final long MOST_ROWS = 1L << 31;
  static final byte[] MAGIC = "jmeblock".getBytes(StandardCharsets.US_ASCII);
  static final int VERSION = 2;

  /** What turns a row into whole numbers. */
  static final class RowMap {
    int dimension;
    String geometry = "ball";
    String second = "full";
    boolean cellCounts, rowCount;
    double normBound = 1;
    byte[] details = new byte[32];
    double[] low, high; // null: rows have no bounds
    String[] onMissing; // bad, absent, or a number in [-1, 1]

    int firstSize() {
      return dimension + (cellCounts ? dimension : 0) + (rowCount ? 1 : 0);
    }

    int momentSize() {
      return switch (second) {
        case "none" -> 0;
        case "diagonal" -> dimension;
        default -> dimension * (dimension + 1) / 2;
      };
    }

    int pairSize() {
      return cellCounts && second.equals("full") && dimension > 1 ? momentSize() : 0;
    }

    byte[] header() {
      ByteBuffer bytes = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
      bytes.put(MAGIC).putInt(VERSION);
      bytes.put((byte) List.of("none", "diagonal", "full").indexOf(second));
      bytes.put((byte) (geometry.equals("box") ? 2 : 1));
      bytes.put((byte) (cellCounts ? 1 : 0)).put((byte) (rowCount ? 1 : 0));
      return bytes.putLong(dimension).putDouble(normBound).put(details).array();
    }

    /** The largest sum of squares of a row in the box, in lattice units. */
    double largestSquareInBox() {
      if (normBound >= Math.sqrt(dimension)) return Double.POSITIVE_INFINITY;
      return normBound * normBound * (ONE * ONE) * (1 - dimension * 0x1p-52);
    }
  }

  static byte[] detailsOf(List<String[]> settings) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(new byte[32], "HmacSHA256"));
    for (String[] setting : settings) {
      for (String text : setting) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        mac.update(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(utf8.length).array());
        mac.update(utf8);
      }
    }
    return mac.doFinal();
  }

  static long checksum(byte[] bytes, int length) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < length; i++) hash = (hash ^ (bytes[i] & 0xff)) * 0x100000001b3L;
    return hash;
  }

  final RowMap map;
  long rows;
  final long[] first;
  final BigInteger[] products, pairs;

  BlockWorker(RowMap map) {
    this.map = map;
    first = new long[map.firstSize()];
    products = new BigInteger[map.momentSize()];
    pairs = new BigInteger[map.pairSize()];
    Arrays.fill(products, BigInteger.ZERO);
    Arrays.fill(pairs, BigInteger.ZERO);
  }

  /** A row in natural units to lattice units: NaN is a missing cell, infinity one that cannot be read. */
  long[] units(double[] row) {
    double[] unit = inBox(row);
    int d = map.dimension;
    long[] units = new long[map.firstSize()];
    if (map.cellCounts || map.rowCount) {
      int absent = 0;
      for (double value : unit) if (Double.isNaN(value)) absent++;
      boolean exists = map.cellCounts ? absent < d : absent == 0;
      for (int i = 0; i < d; i++) {
        boolean present = exists && !Double.isNaN(unit[i]);
        if (!present) unit[i] = 0;
        if (map.cellCounts) units[d + i] = present ? LATTICE : 0;
      }
      if (map.rowCount) units[units.length - 1] = exists ? LATTICE : 0;
    }
    double[] snapped = map.geometry.equals("box") ? clampAndSnap(unit) : clip(unit, map.normBound, ONE, ONE * ONE);
    for (int i = 0; i < d; i++) units[i] = (long) snapped[i];
    return units;
  }

  /** Bounds and missing cells. */
  double[] inBox(double[] row) {
    double[] unit = row.clone();
    boolean bad = false;
    for (int i = 0; i < unit.length && !bad; i++) {
      if (Double.isNaN(row[i]) && map.onMissing != null && !map.onMissing[i].equals("bad")) {
        unit[i] = map.onMissing[i].equals("absent") ? Double.NaN : Double.parseDouble(map.onMissing[i]);
      } else if (Double.isNaN(row[i]) || Double.isInfinite(row[i])) {
        bad = true;
      } else if (map.low != null) {
        double centre = map.high[i] / 2 + map.low[i] / 2, half = map.high[i] / 2 - map.low[i] / 2;
        unit[i] = Math.min(Math.max((row[i] - centre) / half, -1.0), 1.0);
      }
    }
    // A bad row has no cells where counts are private; else it lies in the middle.
    if (bad) Arrays.fill(unit, map.cellCounts || map.rowCount ? Double.NaN : 0.0);
    return unit;
  }

  double[] clampAndSnap(double[] row) {
    double[] units = new double[row.length];
    for (int i = 0; i < row.length; i++) {
      units[i] = Math.floor(Math.min(Math.max(row[i], -1.0), 1.0) * ONE + 0.5);
    }
    double limit = map.largestSquareInBox();
    if (!(sumOfSquares(units) > limit)) return units;
    return clip(units, map.normBound * ONE, map.normBound * ONE, limit);
  }

  static double sumOfSquares(double[] x) {
    double sum = 0;
    for (double v : x) sum += v * v;
    return sum;
  }

  static double[] clip(double[] row, double bound, double unitsInBound, double largestSquare) {
    double largest = 0;
    for (double v : row) largest = Math.max(largest, Math.abs(v));
    double[] units = new double[row.length];
    if (largest == 0) return units;
    double divisor = largest > 0x1p-400 && largest < 0x1p400 ? 1 : largest;
    for (int i = 0; i < row.length; i++) units[i] = row[i] / divisor;
    double norm = Math.sqrt(sumOfSquares(units));
    double scale = Math.min(divisor, bound / norm) / bound * unitsInBound;
    for (int i = 0; i < units.length; i++) units[i] = Math.floor(units[i] * scale + 0.5);
    double square = sumOfSquares(units);
    while (square > largestSquare) {
      double shrink = unitsInBound / Math.sqrt(square) * (1 - 0x1p-50);
      for (int i = 0; i < units.length; i++) {
        double v = units[i] * shrink;
        units[i] = v < 0 ? Math.ceil(v) : Math.floor(v);
      }
      square = sumOfSquares(units);
    }
    return units;
  }

  void add(long[] units) {
    if (rows == MOST_ROWS) throw new IllegalStateException("more than 2^31 rows");
    int d = map.dimension;
    for (int i = 0; i < units.length; i++) first[i] += units[i];
    int k = 0;
    if (map.second.equals("diagonal")) {
      for (int i = 0; i < d; i++) products[i] = products[i].add(BigInteger.valueOf(units[i] * units[i]));
    } else if (map.second.equals("full")) {
      for (int i = 0; i < d; i++) {
        for (int j = i; j < d; j++, k++) {
          products[k] = products[k].add(BigInteger.valueOf(units[i] * units[j]));
          if (pairs.length > 0) pairs[k] = pairs[k].add(BigInteger.valueOf(units[d + i] * units[d + j]));
        }
      }
    }
    rows++;
  }

  void merge(BlockWorker other) {
    if (!Arrays.equals(map.header(), other.map.header())) throw new IllegalStateException("another row map");
    if (other.rows > MOST_ROWS - rows) throw new IllegalStateException("more than 2^31 rows");
    for (int i = 0; i < first.length; i++) first[i] += other.first[i];
    for (int i = 0; i < products.length; i++) products[i] = products[i].add(other.products[i]);
    for (int i = 0; i < pairs.length; i++) pairs[i] = pairs[i].add(other.pairs[i]);
    rows += other.rows;
  }

  static void putWide(ByteBuffer bytes, BigInteger value) {
    bytes.putLong(value.longValue()).putLong(value.shiftRight(64).longValue());
  }

  static BigInteger getWide(ByteBuffer bytes) {
    long low = bytes.getLong(), high = bytes.getLong();
    BigInteger result = BigInteger.valueOf(high).shiftLeft(64).add(BigInteger.valueOf(low));
    return low < 0 ? result.add(BigInteger.ONE.shiftLeft(64)) : result;
  }

  int size() {
    return 64 + 8 + 8 * first.length + 16 * (products.length + pairs.length) + 8;
  }

  byte[] bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(size()).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(map.header()).putLong(rows);
    for (long sum : first) bytes.putLong(sum);
    for (BigInteger product : products) putWide(bytes, product);
    for (BigInteger pair : pairs) putWide(bytes, pair);
    return bytes.putLong(checksum(bytes.array(), bytes.position())).array();
  }

  /** Why bytes are refused: version, map, length, checksum or impossible. */
  static final class Refused extends Exception {
    Refused(String reason) {
      super(reason);
    }
  }

  static BlockWorker fromBytes(byte[] sent, RowMap map) throws Refused {
    BlockWorker sum = new BlockWorker(map);
    byte[] header = map.header();
    if (sent.length < 64 || !Arrays.equals(header, 0, 12, sent, 0, 12)) throw new Refused("version");
    if (!Arrays.equals(header, 0, 64, sent, 0, 64)) throw new Refused("map");
    if (sent.length != sum.size()) throw new Refused("length");
    ByteBuffer bytes = ByteBuffer.wrap(sent).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.getLong(sent.length - 8) != checksum(sent, sent.length - 8)) throw new Refused("checksum");
    bytes.position(64);
    sum.rows = bytes.getLong();
    for (int i = 0; i < sum.first.length; i++) sum.first[i] = bytes.getLong();
    for (int i = 0; i < sum.products.length; i++) sum.products[i] = getWide(bytes);
    for (int i = 0; i < sum.pairs.length; i++) sum.pairs[i] = getWide(bytes);
    if (!sum.isPossible()) throw new Refused("impossible");
    return sum;
  }

  boolean isPossible() {
    if (rows < 0 || rows > MOST_ROWS) return false;
    int d = map.dimension;
    BigInteger n = BigInteger.valueOf(rows), most = n.shiftLeft(40);
    BigInteger widest = map.geometry.equals("ball") ? most : most.multiply(BigInteger.valueOf(d));
    BigInteger squares = BigInteger.ZERO, trace = BigInteger.ZERO;
    for (int i = 0; i < d; i++) {
      BigInteger sum = BigInteger.valueOf(first[i]);
      if (sum.abs().compareTo(n.shiftLeft(20)) > 0) return false;
      squares = squares.add(sum.multiply(sum));
    }
    if (squares.compareTo(n.multiply(widest)) > 0 || !countsArePossible()) return false;
    for (int i = 0, k = 0; i < d && products.length > 0; k += map.second.equals("full") ? d - i : 1, i++) {
      BigInteger square = products[k], sum = BigInteger.valueOf(first[i]);
      if (square.signum() < 0 || square.compareTo(most) > 0) return false;
      if (sum.multiply(sum).compareTo(n.multiply(square)) > 0) return false;
      trace = trace.add(square);
    }
    for (BigInteger product : products) if (product.abs().compareTo(most) > 0) return false;
    return trace.compareTo(widest) <= 0;
  }

  boolean countsArePossible() {
    int d = map.dimension;
    for (int i = d; i < first.length; i++) {
      if (first[i] < 0 || first[i] > rows * LATTICE || first[i] % LATTICE != 0) return false;
    }
    for (int i = 0; i < d && map.cellCounts; i++) {
      if (Math.abs(first[i]) > first[d + i]) return false;
      if (map.rowCount && first[d + i] > first[first.length - 1]) return false;
    }
    for (int i = 0, k = 0; i < d && pairs.length > 0; i++) {
      for (int j = i; j < d; j++, k++) {
        BigInteger least = BigInteger.valueOf(Math.min(first[d + i], first[d + j])).shiftLeft(20);
        if (i == j && !pairs[k].equals(least)) return false;
        if (pairs[k].signum() < 0 || pairs[k].compareTo(least) > 0) return false;
        if (pairs[k].getLowestSetBit() < 40 && pairs[k].signum() != 0) return false;
      }
    }
    return true;
  }

  // The test vectors.

  static int lineNumber = 0, checks = 0;

  static void expect(boolean holds, String what) {
    checks++;
    if (holds) return;
    System.err.println("line " + lineNumber + ": " + what);
    System.exit(1);
  }

  static double cell(String text) {
    return switch (text) {
      case "missing" -> Double.NaN;
      case "unreadable" -> Double.POSITIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  static void verdict(String expected, byte[] sent, RowMap map) {
    String found = "taken";
    try {
      expect(Arrays.equals(fromBytes(sent, map).bytes(), sent), "bytes are not the same after reading");
    } catch (Refused refused) {
      found = "refused " + refused.getMessage();
    }
    expect(found.equals(expected), "was " + found);
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, BlockWorker> named = new HashMap<>();
    RowMap map = null;
    BlockWorker sum = null;
    List<String[]> settings = new ArrayList<>();
    List<double[]> columns = new ArrayList<>();
    List<String> onMissing = new ArrayList<>();
    String[] sent = null;
    boolean refusedMerge = false;
    byte[] bytes = null;
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      lineNumber++;
      if (line.isEmpty() || line.startsWith("#")) continue;
      String[] words = line.split(" ");
      switch (words[0]) {
        case "case" -> {
          map = new RowMap();
          settings.clear();
          columns.clear();
          onMissing.clear();
          sum = null;
          sent = null;
          named.put(words[1], null);
          sent = new String[] {"case", words[1]};
        }
        case "dimension" -> map.dimension = Integer.parseInt(words[1]);
        case "geometry" -> map.geometry = words[1];
        case "second" -> map.second = words[1];
        case "cell_counts" -> map.cellCounts = words[1].equals("1");
        case "row_count" -> map.rowCount = words[1].equals("1");
        case "norm_bound" -> map.normBound = Double.parseDouble(words[1]);
        case "setting" -> settings.add(line.substring(8).split("=", 2));
        case "details" -> {
          map.details = HexFormat.of().parseHex(words[1]);
          expect(Arrays.equals(map.details, detailsOf(settings)), "another digest of the settings");
        }
        case "column" -> {
          columns.add(new double[] {Double.parseDouble(words[1]), Double.parseDouble(words[2])});
          onMissing.add(words[3]);
        }
        case "row" -> {
          if (sum == null) sum = start(map, columns, onMissing);
          double[] row = new double[map.dimension];
          for (int i = 0; i < row.length; i++) row[i] = cell(words[1 + i]);
          long[] units = sum.units(row), expected = new long[units.length];
          for (int i = 0; i < units.length; i++) expected[i] = Long.parseLong(words[2 + row.length + i]);
          expect(Arrays.equals(units, expected), "the row became " + Arrays.toString(units));
          sum.add(units);
        }
        case "merge" -> {
          sent = new String[] {"merge", words[1]};
          sum = new BlockWorker(named.get(words[2]).map);
          refusedMerge = false;
          try {
            for (int i = 2; i < words.length; i++) sum.merge(named.get(words[i]));
          } catch (IllegalStateException refused) {
            refusedMerge = true;
          }
        }
        case "send" -> sent = new String[] {"send", words[2]};
        case "bytes" -> {
          bytes = words.length > 1 ? HexFormat.of().parseHex(words[1]) : new byte[0];
          if (sent[0].equals("send")) break;
          if (sum == null) sum = start(map, columns, onMissing);
          expect(!(sent[0].equals("merge") && refusedMerge), "the merge was refused");
          expect(Arrays.equals(sum.bytes(), bytes), "other bytes: " + HexFormat.of().formatHex(sum.bytes()));
          verdict("taken", bytes, sum.map);
          named.put(sent[1], sum);
        }
        case "taken", "refused" -> {
          if (sent[0].equals("merge")) {
            expect(refusedMerge, "the merge was not refused");
          } else {
            verdict(line, bytes, named.get(sent[1]).map);
          }
        }
        default -> expect(false, "an unknown line");
      }
    }
    System.out.println(checks + " checks against " + named.size() + " blocks: all bytes are equal");
  }

  static BlockWorker start(RowMap map, List<double[]> columns, List<String> onMissing) {
    if (!columns.isEmpty()) {
      map.low = columns.stream().mapToDouble(c -> c[0]).toArray();
      map.high = columns.stream().mapToDouble(c -> c[1]).toArray();
      map.onMissing = onMissing.toArray(new String[0]);
    }
    return new BlockWorker(map);
  }
}
