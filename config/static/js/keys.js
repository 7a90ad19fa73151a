// A key presses the link or button that names it: <a data-key="j">. Not while somebody types.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea, dialog")) return;
  const named = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (named) {
    event.preventDefault();
    named.click();
  }
});
