// Links to a dialog open it as one. Without this script they still do, by CSS (:target).

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  const inside = link.closest("dialog");
  if (inside?.open && link.classList.contains("dialog-close")) {
    event.preventDefault();
    inside.close();
    return;
  }
  const dialog = document.getElementById(link.hash.slice(1));
  if (dialog instanceof HTMLDialogElement) {
    event.preventDefault();
    dialog.showModal();
  }
});
