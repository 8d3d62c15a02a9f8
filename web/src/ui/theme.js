// Light and dark: what the system prefers, until the reader says otherwise.
const key = 'carom-theme';

function remembered() {
  // Pages from file:// may have no storage.
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export class Theme {
  constructor(apply) {
    this.apply = apply;
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.system.addEventListener('change', () => remembered() ?? this.#show(this.#preferred()));
    this.#show(this.#preferred());
  }

  #preferred() {
    return remembered() ?? (this.system.matches ? 'dark' : 'light');
  }

  #show(name) {
    this.name = name === 'dark' ? 'dark' : 'light';
    document.documentElement.dataset.theme = this.name;
    this.apply(this.name);
  }

  set(name) {
    try {
      localStorage.setItem(key, name);
    } catch {
      // Then it holds for this visit.
    }
    this.#show(name);
  }

  toggle() {
    this.set(this.name === 'dark' ? 'light' : 'dark');
  }
}
