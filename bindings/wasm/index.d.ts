/** A position: text in any notation, or twelve numbers in sowing order, the player to move first. */
export type PositionLike = string | ArrayLike<number>;

export type Rules =
  | "abapa" | "slam-illegal" | "slam-ends" | "slam-leaves-last"
  | "slam-leaves-first" | "italian" | "slam-captures" | "awari";

/** The convention for endless play. */
export type Cycles = "split" | "own-side";

/** Seeds that the player to move ends up with, minus the opponent's: `value` by the convention
 * `split`, bounds by `own-side`; `null` if the tables do not say it. */
export interface Worth {
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

export interface AssessedMove extends Worth {
  house: string;
  captured: number;
  conceded?: number;
  best: boolean;
  position: number[];
  /** With deciding tables, where the worth is cut off. */
  range?: { low: number; high: number };
}

/** The document of `/api/v1/{rules}/position`. */
export interface PositionAnswer extends Worth {
  rules: Rules;
  cycles: Cycles;
  position: number[];
  seeds: number;
  /** Why the worth is unknown, if it is. */
  reason?: string;
  range?: { low: number; high: number };
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
export interface LineAnswer extends Line, Worth {
  rules: Rules;
  cycles: Cycles;
  position: number[];
  seeds: number;
  /** How many moves there are to the first capture or to the end. */
  distance?: number | null;
  lines?: (Line & { bound: "low" | "high"; value: number })[];
}

/** How a game ends. */
export interface FinalScore {
  south: number;
  north: number;
  winner: "south" | "north" | null;
}

/** A move of a game. What it gave away is `given_away` by the convention `split`, the others by
 * `own-side`; so it is with how the game ends with best play from before the move (`final`) and after it
 * (`final_played`). */
export interface JudgedMove extends Worth {
  number: number;
  /** The number in the record, and the move. */
  label: string;
  move: string;
  position: number[];
  seeds: number;
  stores: { south: number; north: number };
  best: string[];
  played?: number;
  played_low?: number;
  played_high?: number;
  given_away?: number;
  guaranteed_given_away?: number;
  attainable_given_up?: number;
  class: "best" | "harmless" | "gave-away" | "changed-winner";
  decided: boolean;
  final?: FinalScore;
  final_low?: FinalScore;
  final_high?: FinalScore;
  final_played?: FinalScore;
  final_played_low?: FinalScore;
  final_played_high?: FinalScore;
}

/** What the judged moves of a player come to: those in `moves`, and no others. */
export interface JudgedPlayer {
  name?: string;
  judged: number;
  best: number;
  given_away?: number;
  guaranteed_given_away?: number;
  attainable_given_up?: number;
  changed_winner: number;
  gave_away: number;
  harmless: number;
  /** The number of the move that gave away most. */
  worst: number | null;
}

/** The document of `/api/v1/{rules}/judge`. */
export interface Judgement {
  rules: Rules;
  cycles: Cycles;
  variant: string | null;
  favours?: "south" | "north";
  /** Its first position and its moves, up to the first that is impossible. */
  game: string;
  first: number;
  second: boolean;
  /** How many games the text has. */
  games: number;
  length: number;
  /** How many moves have too many seeds for the tables. They are not judged. */
  beyond: number;
  /** With deciding tables: how many moves have values that are cut off. They are not judged. */
  cut_off?: number;
  moves: JudgedMove[];
  south: JudgedPlayer;
  north: JudgedPlayer;
  error: null | { number: number; move: string; reason: string; legal?: string[] };
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

/** Where the bytes of tables come from. */
export interface Source {
  /** The text of `granero.json`. */
  manifest(): Promise<string>;
  /** The bytes of a file from `start` to `end`, without the one at `end`. */
  read(file: TableFile, start: number, end: number): Promise<Uint8Array>;
  /** The most seeds of layers that can be read, if not all can. */
  reach?(files: TableFile[]): Promise<number | undefined>;
  /** Beginnings of the files, in their order, as far as they can be had at once: headers, or more. */
  heads?(files: TableFile[]): Promise<(Uint8Array | undefined)[] | undefined>;
}

export interface HttpOptions {
  /** Files up to this size are loaded whole from a host that ignores range requests (4 MiB). */
  wholeBytes?: number;
  /** Whether the host answers range requests, if that is known. */
  ranges?: boolean;
  /** Keeps what was loaded, for another visit. */
  cache?: Cache;
  /** A file with the beginnings of all files, as `granero site` writes it: first the headers together in
   * `headers` bytes, then for each file the rest of its beginning, each compressed with gzip. `sha256`:
   * the first 16 digits of the hash of a file, `bytes`: how long its beginning is, `compressed`: how
   * many bytes the rest of it takes. Those of other files than the tables have are not used. */
  heads?: {
    address: string | URL;
    headers: number;
    files: { sha256: string; bytes: number; compressed: number }[];
  };
}

/** Tables at an address, of which parts are loaded with range requests. */
export function http(address: string | URL, options?: HttpOptions): Source & { readonly ranges: boolean | undefined };

/** Tables in memory: files by their names. */
export function memory(files: Record<string, ArrayBuffer | Uint8Array>): Source;

/** Loads the library; with `wasm`, from there. Everything but `Tables.open` needs it first. */
export function load(wasm?: BufferSource | WebAssembly.Module): Promise<void>;

/** The legal moves of a position, or why the game is over. */
export function moves(position: PositionLike, rules?: Rules): Legal;

/** The rulesets. */
export function rulesets(): Ruleset[];

/** What `worths` says of a position that the tables do not reach. */
export const UNKNOWN: -128;

/** Tables, of which only those bytes are loaded that an answer needs. */
export class Tables {
  private constructor();
  /** Opens the tables of a directory: at an address, or of another source. */
  static open(
    source: string | URL | Source,
    options?: { maxSeeds?: number; cacheBytes?: number },
  ): Promise<Tables>;
  /** Tables without a layer: only the rules are known. */
  static empty(rules: Rules, cycles: Cycles): Promise<Tables>;

  readonly rules: Rules;
  readonly cycles: Cycles;
  readonly extent: "full" | "deciding";
  /** The most seeds of a position in the tables. */
  readonly maxSeeds: number | null;
  readonly files: TableFile[];

  /** What a position and its moves are worth. */
  position(position: PositionLike): Promise<PositionAnswer>;
  /** The best line from a position. */
  line(position: PositionLike): Promise<LineAnswer>;
  /** What the moves of a game were worth: of `text`, games in any notation, that with a number, counted
   * from 1. */
  judge(text: string, game?: number): Promise<Judgement>;
  /** What many positions are worth, twelve numbers each: for each the least and the most, as far as
   * the tables tell it, or `UNKNOWN` twice beyond them. Both are the same where the value is known;
   * bounds differ, and so do those of a value that deciding tables have cut off. */
  worths(positions: Uint8Array): Promise<Int8Array>;
}

/** What is wrong: an argument of a wrong type, a text that is no position, tables that cannot be read. */
export class GraneroError extends Error {
  code: string;
  hint?: string;
  /** The place in a text. */
  at?: number;
}
