// What htmx needs from us on every page: words when the server is out of reach, whole pages shown
// as pages, and changes told to screen readers, each once. And the button that closes a message.

const connection = document.getElementById("connection");
const announcement = document.getElementById("announcement");

function complain(words) {
  connection.textContent = words;
  connection.hidden = words === "";
}

function announce() {
  const words = document.querySelector("[data-announce]")?.dataset.announce ?? "";
  if (words !== announcement.textContent) announcement.textContent = words;
}

function offerToDismiss() {
  for (const button of document.querySelectorAll("[data-dismiss]")) button.hidden = false;
}

document.body.addEventListener("htmx:sendError", () => {
  complain(connection.dataset.unreachable);
});

document.body.addEventListener("htmx:responseError", ({ detail }) => {
  complain(connection.dataset.refused.replace("STATUS", detail.xhr.status));
});

document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  // Whoever was signed out gets the login page as an answer: a page, not a part of this one.
  if (detail.shouldSwap && /^\s*<!doctype/i.test(detail.xhr.responseText)) {
    detail.shouldSwap = false;
    location.reload();
  }
});

document.body.addEventListener("htmx:afterSettle", () => {
  complain("");
  announce();
  offerToDismiss();
});

document.body.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
  if (detail.target.id === "toasts") detail.target.lastElementChild?.scrollIntoView({ block: "nearest" });
});

document.addEventListener("click", ({ target }) => {
  target.closest("[data-dismiss]")?.parentElement.remove();
});

document.addEventListener("input", ({ target }) => {
  // A slider shows its number: <output for="its id">. Or it moves the number in a field, which
  // moves it: <input type="range" data-moves="the field's id" hidden>.
  const output = target.type === "range" && document.querySelector(`output[for="${target.id}"]`);
  if (output) output.value = target.value;
  const other = target.dataset.moves
    ? document.getElementById(target.dataset.moves)
    : target.id && document.querySelector(`[data-moves="${CSS.escape(target.id)}"]`);
  if (other) other.value = target.value;
});

for (const slider of document.querySelectorAll("[data-moves]")) slider.hidden = false;

announce();
offerToDismiss();
