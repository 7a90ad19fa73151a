// What htmx needs from us on every page: words when the server is out of reach, whole pages shown
// as pages, and changes told to screen readers once.

const connection = document.getElementById("connection");
const announcement = document.getElementById("announcement");

function complain(words) {
  connection.textContent = words;
  connection.hidden = !words;
}

document.body.addEventListener("htmx:sendError", () => {
  complain("The server cannot be reached. Nothing is lost; this page tries again.");
});

document.body.addEventListener("htmx:responseError", (event) => {
  complain(`That did not work (${event.detail.xhr.status}). Reload the page to see how things stand.`);
});

document.body.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  // After a sign-out the answer is the login page: show it as a page, not inside this one.
  if (/^\s*<!doctype/i.test(xhr.responseText)) {
    event.detail.shouldSwap = false;
    location.reload();
  }
});

document.body.addEventListener("htmx:afterSwap", () => {
  complain("");
  const words = document.querySelector("[data-announce]")?.dataset.announce ?? "";
  if (words !== announcement.textContent) announcement.textContent = words;
});
