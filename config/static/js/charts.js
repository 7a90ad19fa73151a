// The picture of a chart becomes one that answers to the pointer, where scripts are allowed.

for (const place of document.querySelectorAll("[data-spec]")) {
  const [spec] = await Promise.all([
    fetch(place.dataset.spec).then((answer) => answer.json()),
    import(place.dataset.script), // sets window.vegaEmbed
  ]);
  const drawn = document.createElement("div");
  await vegaEmbed(drawn, spec, {
    ast: true,
    actions: false,
    defaultStyle: false,
    renderer: "canvas", // whose colours are the chart's own, as in the downloads
    tooltip: { disableDefaultStyle: true },
  });
  place.replaceChildren(drawn);
}
