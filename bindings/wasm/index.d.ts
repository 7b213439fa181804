/** A position: text in any notation, or twelve numbers in sowing order, the player to move first. */
export type PositionLike = string | ArrayLike<number>;

export type Rules =
  | "abapa" | "slam-illegal" | "slam-ends" | "slam-leaves-last"
  | "slam-leaves-first" | "italian" | "slam-captures" | "awari";

/** The convention for endless play. */
export type Cycles = "split" | "own-side";

/** Seeds that the player to move ends up with, minus the opponent's: `value` by the convention
 * `split`, bounds by `own-side`; `null` if the tables do not have it. */
export interface ValueOrBounds {
  value?: number | null;
  low?: number | null;
  high?: number | null;
  nominal?: number | null;
}

export interface Over {
  reason: string;
  mover: number;
  opponent: number;
}

export interface LegalMove {
  house: string;
  index: number;
  captured: number;
  /** Only if the move ends the game. */
  conceded?: number;
  /** The position after it, as the opponent sees it. */
  position: number[];
}

export interface Legal {
  rules: Rules;
  position: number[];
  seeds: number;
  over: { reason: string } | null;
  moves: LegalMove[];
}

export interface AssessedMove extends ValueOrBounds {
  house: string;
  captured: number;
  conceded?: number;
  /** From the mover's view: of the game, if stores are given, otherwise of the seeds on the board. */
  outcome: "win" | "draw" | "loss" | null;
  best: boolean;
  position: number[];
  /** With deciding tables, if the value is cut off. */
  range?: { low: number; high: number };
  /** Beyond the tables, if a search was made. */
  proven?: { low: number; high: number };
}

/** The document of `/api/v1/{rules}/position`, and of `/prove`. */
export interface PositionAnswer extends ValueOrBounds {
  rules: Rules;
  cycles: Cycles;
  position: number[];
  seeds: number;
  /** Why the value is unknown, if it is. */
  reason?: string;
  range?: { low: number; high: number };
  /** Beyond the tables, if a search was made. */
  proven?: { low: number; high: number; best_known: string[]; positions: number; seconds: number; ended: string };
  over: Over | null;
  /** The best first. */
  moves: AssessedMove[];
  illegal: { house: string; reason: string; text: string }[];
  situation?: { notation: string; to_move: "south" | "north"; south: number; north: number };
}

export interface LineMove {
  move: string;
  captured: number;
  conceded?: number;
  position: number[];
  south: number;
  north: number;
}

export interface Line {
  game: string;
  moves: LineMove[];
  end: null | { reason: string; from?: number; proven?: boolean; differences?: number[]; counts?: number };
  score: null | { south: number; north: number; left: number };
}

/** The document of `/api/v1/{rules}/line`. */
export interface LineAnswer extends Line, ValueOrBounds {
  rules: Rules;
  cycles: Cycles;
  position: number[];
  seeds: number;
  /** The number of moves to the first capture or to the end. */
  distance?: number | null;
  lines?: (Line & { bound: "low" | "high"; value: number })[];
}

/** The end of a game. */
export interface FinalScore {
  south: number;
  north: number;
  winner: "south" | "north" | null;
}

/** Numbers of a judgement: one if it is settled, else the least and the most. */
export interface GivenAway {
  given_away?: number;
  given_away_at_least?: number;
  given_away_at_most?: number;
  /** Twice as many: by how much the difference between the players became worse. */
  difference_lost?: number;
  difference_lost_at_least?: number;
  difference_lost_at_most?: number;
  /** By the convention `own-side`. */
  given_up?: number | null;
}

export type MoveClass = "best" | "harmless" | "gave-away" | "changed-winner";

/** A move of a game. With bounds it has the fields with `low` and `high`. `final` is the end of the game
 * with best play from before the move, `final_played` from after it. */
export interface JudgedMove extends ValueOrBounds, GivenAway {
  number: number;
  /** The number in the record, and the move. */
  label: string;
  move: string;
  position: number[];
  seeds: number;
  stores: { south: number; north: number };
  /** The moves that are certainly best. */
  best: string[];
  best_known: string[];
  played?: number;
  played_low?: number;
  played_high?: number;
  class: MoveClass | null;
  class_at_least: MoveClass;
  /** Hardly anything is proven. */
  unknown: boolean;
  decided: boolean;
  final?: FinalScore;
  final_low?: FinalScore;
  final_high?: FinalScore;
  final_played?: FinalScore;
  final_played_low?: FinalScore;
  final_played_high?: FinalScore;
  /** Beyond the tables. */
  search?: { positions: number; seconds: number; ended: string };
}

/** A summary of a player's moves in `moves`. */
export interface JudgedPlayer extends GivenAway {
  name?: string;
  judged: number;
  best: number;
  changed_winner?: number;
  changed_winner_at_least?: number;
  changed_winner_at_most?: number;
  gave_away?: number;
  gave_away_at_least?: number;
  gave_away_at_most?: number;
  harmless?: number;
  harmless_at_least?: number;
  harmless_at_most?: number;
  /** The number of the move that gave away most. */
  worst: number | null;
}

/** The document of `/api/v1/{rules}/judge`. */
export interface Judgement {
  rules: Rules;
  cycles: Cycles;
  variant: string | null;
  favours?: "south" | "north";
  /** Its first position and its moves, up to the first impossible one. */
  game: string;
  first: number;
  second: boolean;
  /** The number of games in the text. */
  games: number;
  length: number;
  /** The number of moves with too many seeds for the tables. */
  beyond: number;
  /** With deciding tables: the number of moves whose values are cut off. They are not judged. */
  cut_off?: number;
  moves: JudgedMove[];
  south: JudgedPlayer;
  north: JudgedPlayer;
  error: null | { number: number; label: string; move: string; reason: string; legal?: string[] };
}

export interface Ruleset {
  name: Rules;
  default: boolean;
  summary: string;
  origin: string;
}

/** A file of tables. */
export interface TableFile {
  name: string;
  bytes: number;
  sha256: string;
  seeds: number;
}

/** The limits of a search, and how it is made. It ends at the first limit that it reaches. */
export interface SearchOptions {
  /** The most positions that it looks at, apart from those in the tables. The same number proves the same on
   * every machine. */
  positions?: number;
  /** The most seconds that it takes. */
  seconds?: number;
  /** Ends the search: the promise is rejected with the reason of the signal. */
  signal?: AbortSignal;
  /** False to search in this thread, which then does nothing else, and hears no signal (true). */
  worker?: boolean;
}

/** A source of the bytes of tables. */
export interface Source {
  /** The text of `granero.json`. */
  manifest(): Promise<string>;
  /** The bytes of a file from `start` to `end`, without the one at `end`. */
  read(file: TableFile, start: number, end: number): Promise<Uint8Array>;
  /** The most seeds of layers that can be read, if not all can. */
  reach?(files: TableFile[]): Promise<number | undefined>;
  /** Beginnings of the files, in their order, as far as they can be loaded at once: headers, or more. */
  heads?(files: TableFile[]): Promise<(Uint8Array | undefined)[] | undefined>;
}

export interface HttpOptions {
  /** Files up to this size are loaded whole from a host that ignores range requests (4 MiB). */
  wholeBytes?: number;
  /** True if the host answers range requests; leave it out if unknown. */
  ranges?: boolean;
  /** Keeps loaded bytes for another visit. */
  cache?: Cache;
  /** A file with the beginnings of all files, as `granero site` writes it: first the headers together in
   * `headers` bytes, then for each file the rest of its beginning, each compressed with gzip. `sha256`:
   * the first 16 digits of the hash of a file, `bytes`: the length of its beginning, `compressed`: the
   * length of the rest of it, compressed. Files that the tables do not have are ignored. */
  heads?: {
    address: string | URL;
    headers: number;
    files: { sha256: string; bytes: number; compressed: number }[];
  };
}

/** Tables at an address. Parts of files are loaded with range requests. */
export function http(address: string | URL, options?: HttpOptions): Required<Source> & { readonly ranges: boolean | undefined };

/** Tables in memory: files by their names. */
export function memory(files: Record<string, ArrayBuffer | Uint8Array>): Source;

/** Loads the library; with `wasm`, from there. Call it before anything except `Tables.open`. */
export function load(wasm?: BufferSource | WebAssembly.Module): Promise<void>;

/** The legal moves of a position, or why the game is over. */
export function moves(position: PositionLike, rules?: Rules): Legal;

/** How a move is chosen. */
export interface ChoiceOptions {
  rules?: Rules;
  /** From 1, which lets beginners win, to 8, the strongest (8). */
  level?: number;
  /** The most seconds that it takes (1). */
  seconds?: number;
  /** Houses to choose from, if one of them can be played. */
  among?: string[];
  /** A number: the same one leads to the same choice at the levels that play at random (drawn). */
  luck?: number;
}

/** Chooses a move by a search without tables; `null` if the game is over. */
export function choose(position: PositionLike, options?: ChoiceOptions): { house: string | null };

/** Estimates what each move of a position is worth, in seeds to its player, and the position: by a search without
 * tables. Nothing is proven. */
export function estimate(
  position: PositionLike,
  rules?: Rules,
): { estimate: number | null; moves: Record<string, number> };

/** Tells how easily a player goes wrong in a position whose best moves are known: the depth from which a search
 * prefers one of them, the numbers of best and of legal moves, and whether the best is easy to miss. */
export function difficulty(
  position: PositionLike,
  best: string[],
  rules?: Rules,
): { depth: number; keeping: number; moves: number; easy_to_miss: boolean };

/** The rulesets. */
export function rulesets(): Ruleset[];

/** Marks positions beyond the tables in `ranges`. */
export const UNKNOWN: -128;

/** Tables. Only the bytes that an answer needs are loaded. */
export class Tables {
  private constructor();
  /** Opens the tables of a directory: at an address, or of another source. */
  static open(
    source: string | URL | Source,
    options?: { maxSeeds?: number; cacheBytes?: number },
  ): Promise<Tables>;
  /** The sample tables inside this package: "abapa", up to 8 seeds. */
  static sample(cycles?: Cycles): Promise<Tables>;
  /** Tables without a layer: only the rules are known. */
  static empty(rules: Rules, cycles: Cycles): Promise<Tables>;

  readonly rules: Rules;
  readonly cycles: Cycles;
  readonly extent: "full" | "deciding";
  /** The most seeds of a position in the tables. */
  readonly maxSeeds: number | null;
  readonly files: TableFile[];

  /** The exact value of a position; `null` if the tables do not have it, or its bounds differ. */
  value(position: PositionLike): Promise<number | null>;
  /** The value of a position and its moves. */
  assess(position: PositionLike): Promise<PositionAnswer>;
  /** The best line from a position. */
  line(position: PositionLike): Promise<LineAnswer>;
  /** The value of a position and its moves: beyond the tables, what a search proves. It takes a second, unless the
   * options have a limit. It loads the tables whole, so open them with `maxSeeds` if they are large. */
  prove(position: PositionLike, options?: SearchOptions): Promise<PositionAnswer>;
  /** Judges the moves of a game: of the games in `text`, in any notation, the one with a number, counted
   * from 1. With a limit in the options there is a search from each position beyond the tables, like that of
   * `prove`. */
  judge(text: string, game?: number, options?: SearchOptions): Promise<Judgement>;
  /** The ranges of many positions, twelve numbers each: for each the least and the most, as far as
   * the tables hold it, or `UNKNOWN` twice beyond them. Both are equal if the value is known. They
   * differ for bounds, and for values that deciding tables have cut off. */
  ranges(positions: Uint8Array): Promise<Int8Array>;
}

/** An error: an argument of a wrong type, a text that is no position, tables that cannot be read. */
export class GraneroError extends Error {
  code: string;
  hint?: string;
  /** The place in a text. */
  at?: number;
}
