// Charts of a report: drawn by Vega from the specification beside them, in the page's colours, and
// read point by point with the arrow keys. Without scripts there is a picture instead.

const dark = matchMedia("(prefers-color-scheme: dark)");
const print = matchMedia("print");
const drawn = new WeakMap();

function coloured(text, colours) {
  if (!dark.matches || print.matches) return text;
  return text.replace(/#[0-9a-f]{6}/gi, (colour) => colours[colour.toLowerCase()] ?? colour);
}

async function draw(plot) {
  const colours = JSON.parse(document.getElementById("chart-colours").textContent);
  const source = document.getElementById(plot.dataset.plot).textContent;
  const spec = JSON.parse(coloured(source, colours));
  spec.width = "container";
  spec.autosize = { type: "fit-x", contains: "padding" };
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  drawn.get(plot)?.finalize();
  const picture = plot.querySelector(".picture");
  const result = await vegaEmbed(picture, spec, {
    ast: true,
    actions: false,
    defaultStyle: false,
    renderer: "svg",
    tooltip: still ? false : { disableDefaultStyle: true },
  });
  // What it shows is told by the plot itself, and its numbers by the table.
  picture.setAttribute("aria-hidden", "true");
  drawn.set(plot, result);
}

function drawAll(within = document) {
  for (const plot of within.querySelectorAll("[data-plot]")) draw(plot);
}

function read(plot, step) {
  const rows = [...plot.closest("figure").querySelectorAll("tbody tr")];
  const headings = [...plot.closest("figure").querySelectorAll("thead th")];
  if (rows.length === 0) return;
  const now = Number(plot.dataset.row ?? -1);
  const next = Math.min(rows.length - 1, Math.max(0, now + step));
  plot.dataset.row = next;
  plot.querySelector("output").textContent = [...rows[next].children]
    .map((cell, place) => `${headings[place].textContent} ${cell.textContent}`.trim())
    .join(", ");
}

document.addEventListener("keydown", (event) => {
  const plot = event.target.closest?.("[data-plot]");
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!plot || !step) return;
  event.preventDefault();
  read(plot, step);
});

document.body.addEventListener("htmx:afterSettle", ({ detail }) => drawAll(detail.elt));
dark.addEventListener("change", () => drawAll());
print.addEventListener("change", () => drawAll());
drawAll();
