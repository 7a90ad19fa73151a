// What a participant's page does beyond its HTML: keys, copying, drafts that survive, answers that
// are sent again until they arrive, counts of how a task was done. Without this script the page
// works too; it only takes a round trip more.

const SAVE_AFTER = 1000;
const RETRY_AFTER = 3000;
const IDLE_AFTER = 5000;

const connection = document.getElementById("connection");
let page = null; // of the task that is shown
let sending = false;

function element(id) {
  return document.getElementById(id);
}

function say(words) {
  const place = element("saved");
  if (place && place.textContent !== words) place.textContent = words;
}

function reachable(yes) {
  connection.textContent = yes ? "" : connection.dataset.unreachable;
  connection.hidden = yes;
}

// --- What is kept on this device, under the form's key --------------------------------------------

const shelf = {
  name: (key) => `draft-${key}`,
  put(key, text) {
    try { localStorage.setItem(this.name(key), text); } catch { /* full or forbidden */ }
  },
  get(key) {
    try { return localStorage.getItem(this.name(key)); } catch { return null; }
  },
  clear(except) {
    try {
      for (const name of Object.keys(localStorage)) {
        if (name.startsWith("draft-") && name !== this.name(except)) localStorage.removeItem(name);
      }
    } catch { /* forbidden */ }
  },
};

// --- Counts: how much and of which kind, never what -------------------------------------------------

function newCounts() {
  return { active: 0, pauses: 0, blurs: 0, keys: 0, deletions: 0, pastes: 0, pasted: 0, copied: 0 };
}

function used() {
  if (!page) return;
  const now = performance.now();
  const gap = now - page.lastUse;
  if (gap < IDLE_AFTER) page.counts.active += gap;
  else page.counts.pauses += 1;
  page.lastUse = now;
}

function fillCounts() {
  used();
  for (const [name, value] of Object.entries(page.counts)) {
    const field = page.form.elements.namedItem(name);
    if (field) field.value = Math.round(value);
  }
}

// --- Drafts -------------------------------------------------------------------------------------

function changed() {
  shelf.put(page.key, page.field.value);
  say("");
  clearTimeout(page.timer);
  page.timer = setTimeout(saveDraft, SAVE_AFTER, page);
}

async function saveDraft(of) {
  if (of !== page || sending) return;
  const body = new URLSearchParams({
    csrfmiddlewaretoken: page.form.elements.csrfmiddlewaretoken.value,
    key: page.key,
    text: page.field.value,
  });
  try {
    const answer = await fetch(page.form.dataset.draft, { method: "POST", body });
    if (of !== page || sending) return;
    reachable(true);
    if (answer.status === 204) say(page.form.dataset.saved);
    else if (answer.status === 409) say(page.form.dataset.lost);
  } catch {
    if (of !== page || sending) return;
    reachable(false);
    say(page.form.dataset.kept);
    page.timer = setTimeout(saveDraft, RETRY_AFTER, of);
  }
}

function copyIn(button) {
  const sentence = button.closest("li").querySelector(".sentence");
  const chosen = getSelection();
  const part = !chosen.isCollapsed && sentence.contains(chosen.anchorNode) && sentence.contains(chosen.focusNode);
  const text = part ? chosen.toString() : sentence.textContent.trim();
  const { field } = page;
  if (!field.value.trim()) {
    field.value = text;
    if (!part) page.counts.copied = Number(button.value);
  } else {
    const before = field.value.slice(0, field.selectionStart);
    const after = field.value.slice(field.selectionEnd);
    const inserted = (before && !/\s$/.test(before) ? " " : "") + text + (after && !/^\s/.test(after) ? " " : "");
    field.setRangeText(inserted, field.selectionStart, field.selectionEnd, "end");
  }
  used();
  field.focus();
  changed();
}

// --- Answers --------------------------------------------------------------------------------------

function pause(milliseconds) {
  return new Promise((go) => setTimeout(go, milliseconds));
}

async function send(button) {
  if (sending) return;
  sending = true;
  clearTimeout(page.timer);
  fillCounts();
  const body = new URLSearchParams(new FormData(page.form));
  body.set(button.name, button.value);
  for (const other of page.form.querySelectorAll("button")) other.disabled = true;
  for (;;) {
    try {
      // Its buttons are called "action" too, so form.action would be those.
      const answer = await fetch(page.form.getAttribute("action"), {
        method: "POST",
        body,
        headers: { "X-Take": "script" },
      });
      if (answer.status < 500) {
        const text = await answer.text();
        reachable(true);
        show(text);
        break;
      }
    } catch {
      // Nothing: the form keeps its key, so sending it again is safe.
    }
    reachable(false);
    say(page.form.dataset.kept);
    await pause(RETRY_AFTER);
  }
  sending = false;
}

function show(text) {
  const next = new DOMParser().parseFromString(text, "text/html");
  document.title = next.title;
  for (const part of ["header", "main"]) {
    document.querySelector(part).replaceWith(next.querySelector(part));
  }
  scrollTo(0, 0);
  begin();
  const focused = document.querySelector("[autofocus]") ?? element("main");
  focused.focus({ preventScroll: true });
}

function begin() {
  const form = element("task");
  page = form && {
    form,
    key: form.elements.key.value,
    field: form.elements.text,
    counts: newCounts(),
    lastUse: performance.now(),
    timer: 0,
  };
  if (!page) return;
  shelf.clear(page.key);
  const kept = page.field && shelf.get(page.key);
  if (kept && kept !== page.field.value) {
    // What was written when the network or the browser was gone is newer than what the server has.
    page.field.value = kept;
    saveDraft(page);
  }
}

// --- What people do -------------------------------------------------------------------------------

document.addEventListener("submit", (event) => {
  if (!page || event.target !== page.form || !event.submitter) return;
  event.preventDefault();
  if (event.submitter.name === "copy") copyIn(event.submitter);
  else send(event.submitter);
});

document.addEventListener("input", (event) => {
  if (!page || event.target !== page.field) return;
  used();
  if (event.inputType?.startsWith("delete")) page.counts.deletions += 1;
  changed();
});

document.addEventListener("paste", (event) => {
  if (!page || event.target !== page.field) return;
  page.counts.pastes += 1;
  page.counts.pasted += event.clipboardData?.getData("text").length ?? 0;
});

// Practice has the keys of the tasks, and sends its form as any page does.
function practise(event) {
  const form = element("practice");
  if (!form) return;
  if (form.dataset.kind === "editing") {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  } else if (!event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat) {
    const choice = { 1: "a", 2: "b", 3: "same" }[event.key];
    form.querySelector(`button[value="${choice}"]:enabled`)?.click();
  }
}

document.addEventListener("keydown", (event) => {
  if (!page) return practise(event);
  used();
  if (event.target === page.field) page.counts.keys += 1;
  const press = (name, value) => {
    const button = page.form.querySelector(`button[name="${name}"][value="${value}"]`);
    if (button && !button.disabled) {
      event.preventDefault();
      button.click();
    }
  };
  if (page.form.dataset.kind === "editing") {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) press("action", "submit");
    else if (event.altKey && /^[1-9]$/.test(event.key)) press("copy", event.key);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const choice = { 1: "a", 2: "b", 3: "same" }[event.key];
  const link = { d: "differences", z: "undo" }[event.key.toLowerCase()];
  if (choice) press("action", choice);
  else if (link) element(link)?.click();
});

document.addEventListener("pointerdown", used);
document.addEventListener("scroll", used, { passive: true });
addEventListener("blur", () => {
  if (page) page.counts.blurs += 1;
});
addEventListener("online", () => {
  if (page?.field) saveDraft(page);
});

begin();
