// Dragging a tile to another part of the tray, by mouse, pen or finger. A finger has to rest on the
// tile for a moment first, so that the page can still be scrolled from anywhere.

const HOLD = 220; // ms
const SLOP = 8; // CSS pixels

let drag = null;

/** Make every [data-tile] inside `container` draggable onto a [data-drop]; `onDrop(id, drop)`. */
export function draggable(container, onDrop) {
  container.ondragstart = (event) => event.preventDefault();
  container.onpointerdown = (event) => {
    const tile = event.target.closest("[data-tile]");
    if (!tile || event.button !== 0) return;
    cancel();
    drag = { tile, onDrop, x: event.clientX, y: event.clientY, pointer: event.pointerId, ghost: null, over: null, timer: null };
    if (event.pointerType === "touch") drag.timer = setTimeout(lift, HOLD);
  };
}

function lift() {
  const { tile } = drag;
  const box = tile.getBoundingClientRect();
  drag.ghost = tile.cloneNode(true);
  drag.ghost.classList.add("ghost");
  drag.ghost.removeAttribute("data-key");
  drag.ghost.removeAttribute("data-tile");
  drag.ghost.style.width = `${box.width}px`;
  drag.ghost.style.height = `${box.height}px`;
  document.body.append(drag.ghost);
  document.body.classList.add("dragging");
  place(drag.x, drag.y);
}

function place(x, y) {
  drag.ghost.style.left = `${x}px`;
  drag.ghost.style.top = `${y}px`;
  const over = document.elementsFromPoint(x, y).map((element) => element.closest("[data-drop]")).find(Boolean) ?? null;
  if (over === drag.over) return;
  drag.over?.classList.remove("over");
  over?.classList.add("over");
  drag.over = over;
}

function cancel() {
  if (!drag) return;
  clearTimeout(drag.timer);
  drag.ghost?.remove();
  drag.over?.classList.remove("over");
  document.body.classList.remove("dragging");
  drag = null;
}

addEventListener("pointermove", (event) => {
  if (!drag || event.pointerId !== drag.pointer) return;
  if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SLOP) return;
  if (!drag.ghost) {
    if (event.pointerType === "touch") return cancel();
    lift();
  }
  place(event.clientX, event.clientY);
});

addEventListener("pointerup", (event) => {
  if (!drag || event.pointerId !== drag.pointer) return;
  const { ghost, over, tile, onDrop } = drag;
  cancel();
  if (!ghost) return;
  // The click that follows the release, in its place, would open the picker.
  const swallow = (click) => {
    if (click.clientX === event.clientX && click.clientY === event.clientY) click.stopPropagation();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
  if (over && !over.contains(tile)) onDrop(tile.dataset.tile, over.dataset.drop);
});

addEventListener("pointercancel", cancel);
addEventListener("keydown", (event) => event.key === "Escape" && cancel());
// Only this keeps a touch browser from scrolling away under a lifted tile.
addEventListener("touchmove", (event) => drag?.ghost && event.preventDefault(), { passive: false });
addEventListener("contextmenu", (event) => drag && event.preventDefault());
