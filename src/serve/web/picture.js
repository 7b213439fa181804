// The board as a picture: a drawing that needs nothing else, or its pixels.

/** The width of a picture in pixels. */
const WIDTH = 1200;

/** Returns the board that is shown as a drawing. @param {HTMLElement} holder */
export function drawing(holder) {
  const [wood, board] = [...holder.querySelectorAll("svg")];
  const picture = /** @type {SVGElement} */ (board.cloneNode(true));
  picture.classList.remove("preview");
  picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const [, , width, height] = String(picture.getAttribute("viewBox")).split(" ").map(Number);
  picture.setAttribute("width", String(WIDTH));
  picture.setAttribute("height", String(Math.round((WIDTH * height) / width)));
  picture.prepend(...[...wood.children].map((part) => part.cloneNode(true)));
  for (const part of picture.querySelectorAll(".target, .ring")) part.remove();
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = `svg { font-family: sans-serif } ${rules()}`;
  picture.prepend(style);
  return new XMLSerializer().serializeToString(picture);
}

/** Returns the rules that draw the board. */
function rules() {
  const sheets = [...document.styleSheets].filter(({ href }) => href?.includes("board.css"));
  return sheets.flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText))
    .filter((text) => !/^\.(?:board, |board-holder|planks|tip|board \{)|^@/.test(text)).join(" ");
}

/** Returns a drawing as pixels. @param {string} svg @returns {Promise<Blob>} */
export async function pixels(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}
