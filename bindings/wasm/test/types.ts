// The types, as a program uses them; compiled, not run.

import { choose, estimate, http, load, moves, rulesets, Tables, type PositionAnswer, type Source } from "granero";
import { directory } from "granero/node";

export async function best(address: string): Promise<string[]> {
  await load();
  const source: Source = http(address, { wholeBytes: 1 << 20 });
  const tables = await Tables.open(source, { maxSeeds: 20 });
  const answer: PositionAnswer = await tables.assess([0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 1, 0]);
  const value: number | null = await tables.value(answer.position);
  const line = await tables.line("0 1 0 2 0 1 / 0 2 0 1 1 0");
  const ranges: Int8Array = await tables.ranges(new Uint8Array(24));
  const local = await Tables.open(directory("granero-db"));
  const legal = moves("4 4 4 4 4 4 / 4 4 4 4 4 4", rulesets()[0].name);
  const judged = await tables.judge("FfBeBc", 1, { seconds: 1, signal: AbortSignal.timeout(9000) });
  const { proven } = await (await Tables.sample("own-side")).prove("4 4 4 4 4 4 / 4 4 4 4 4 4", { positions: 100 });
  console.log(choose([4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4], { level: 3 }).house, estimate("4 4 4 4 4 4 / 4 4 4 4 4 4").moves.F);
  console.log(proven?.best_known, directory(new URL(import.meta.url)));
  console.log(judged.moves.map((move) => move.class), line.moves.length, ranges[0], value, local.maxSeeds, legal.moves[0].position);
  // @ts-expect-error There is no such ruleset.
  moves("4 4 4 4 4 4 / 4 4 4 4 4 4", "chess");
  return answer.moves.filter((move) => move.best).map((move) => move.house);
}
