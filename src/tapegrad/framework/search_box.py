"""A box with which a reader searches what a notebook shows: lines that fold, or the cells of a picture.

It needs no network and no element for scripts: what it does stands in an attribute of its own. Where a
notebook is not trusted, the box does nothing, and all stays as it is.
"""

import html

# What can be found has a data-text, or an empty one and a title, in which the words are looked for; "> 2" and
# "< 2" are for the number that ends it. Lines that fit stay, with all that they are in and that is in them;
# other lines disappear, and other cells of a picture pale.
_SEARCH = r"""
const words = this.value.trim().toLowerCase();
const bound = words.match(/^([<>])\s*([-+.\d]\S*)$/);
const fits = (line) => {
  if (!bound) return line.toLowerCase().includes(words);
  const number = Number(line.split(' ').pop());
  return bound[1] === '<' ? number < Number(bound[2]) : number > Number(bound[2]);
};
const whole = this.parentElement;
const place = (part) => part.matches('summary') ? part.parentElement : part;
const parts = [...whole.querySelectorAll('[data-text]')];
const text = (part) => part.dataset.text || part.textContent;
const fitting = parts.filter((part) => fits(text(part)));
const places = fitting.map(place);
for (const one of parts.map(place)) {
  const shown = places.some((other) => one.contains(other) || other.contains(one));
  if (one.matches('rect')) one.style.opacity = shown ? '' : 0.1;
  else one.hidden = !shown;
}
for (const fold of words ? whole.querySelectorAll('details') : []) {
  fold.open = fitting.some((part) => fold.contains(part));
}
const first = fitting.slice(0, 5).map((part) => '; ' + text(part)).join('');
whole.querySelector('output').textContent = words ? fitting.length + ' of ' + parts.length + first : '';
"""


def searchable(content: str, what: str) -> str:
    """HTML that shows ``content`` below a box that searches it.

    Args:
        content: HTML. What can be found in it has the attribute ``data-text``, empty where a title says it.
        what: the nouns of it, such as "variables and modules".
    """
    action = html.escape(" ".join([line.strip() for line in _SEARCH.splitlines()]).strip())
    box = f'<input type="search" placeholder="Search {html.escape(what)}" size="32" oninput="{action}">'
    return f"<div>{box} <output></output>{content}</div>"
