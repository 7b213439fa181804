// Takes the pictures of docs/images: `npm run pictures`, after `cargo build --release`. `pngquant`, if
// there is one, makes them small.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";
import { badges, here, RANGE, start, TEMPTING, visit } from "./explorer.mjs";

start({ split: 14, "own-side": 8 });

const folder = fileURLToPath(new URL("../../docs/images/", import.meta.url));
mkdirSync(folder, { recursive: true });
/** @type {string[]} */
const taken = [];
after(() => execFileSync("pngquant", ["--force", "--ext", ".png", "--strip", "64", ...taken]));

const DESKTOP = { viewport: { width: 1280, height: 760 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1.5 };

/** @type {Record<string, [object, (page: any) => Promise<any>]>} */
const PICTURES = {
  board: [{ ...DESKTOP, hash: "p=2-1-1-1-4-1-1-1-0-0-0-2-17-17-S" }, badges],
  dark: [{ ...DESKTOP, colorScheme: "dark" }, async (page) => {
    await badges(page);
    await page.keyboard.press("f");
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.keyboard.press("a");
    await page.getByRole("heading", { name: "South to move" }).waitFor();
    await page.locator('[data-key="move-D"]').or(page.locator("#moves .chip").last()).first().click();
  }],
  phone: [{ ...PHONE, locale: "es" }, badges],
  range: [{ ...DESKTOP, hash: `cycles=own-side&p=${RANGE}` }, async (page) => {
    await page.locator(".choice").first().waitFor();
    await page.getByRole("button", { name: "Why a range?" }).click();
    // Next to the text that it explains.
    await page.locator("#dialog").evaluate((dialog) => (dialog.style.margin = "auto 16px 16px auto"));
  }],
  setup: [{ ...DESKTOP, viewport: { width: 1280, height: 900 }, locale: "fr" }, async (page) => {
    await badges(page);
    await page.keyboard.press("s");
  }],
  statistics: [DESKTOP, async (page) => {
    await page.locator("#to-statistics").click();
    await page.locator(".layers").waitFor();
  }],
};

for (const [name, [options, show]] of Object.entries(PICTURES)) {
  test(name, () =>
    visit({ hash: `p=${TEMPTING}`, ...options }, async (page) => {
      await show(page);
      await page.locator("#line .summary, .layers").first().waitFor({ state: "attached" });
      taken.push(`${folder}${name}.png`);
      await page.screenshot({ path: taken.at(-1) });
    }));
}
