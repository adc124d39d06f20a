// Finds sections that contain every word, headings before text.
const home = document.currentScript.dataset.home;
const input = document.getElementById("search");
const list = document.getElementById("found");
let sections;

input.addEventListener("input", async () => {
  sections ??= fetch(home + "search.json").then((answer) => answer.json());
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? rank(await sections, words) : [];
  list.replaceChildren(...found.slice(0, 12).map(entry));
});

function rank(sections, words) {
  const scored = sections.map((section) => [score(section, words), section]);
  return scored.filter(([points]) => points > 0).sort(([a], [b]) => b - a).map(([, section]) => section);
}

function score([, page, heading, body], words) {
  let points = 0;
  for (const word of words) {
    const weight = heading.toLowerCase().includes(word) ? 8 : page.toLowerCase().includes(word) ? 4
      : body.toLowerCase().includes(word) ? 1 : 0;
    if (weight === 0) return 0;
    points += weight;
  }
  return points;
}

function entry([address, page, heading]) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = home + address;
  link.textContent = page === heading ? page : `${page}: ${heading}`;
  item.append(link);
  return item;
}
