// Icons as paths on a 24 × 24 field.
const icon = (body) =>
  `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${body}</svg>`;

export const icons = {
  play: icon('<path d="M8 5.2v13.6L19 12z" fill="currentColor"/>'),
  pause: icon('<path d="M8.5 5.5v13M15.5 5.5v13" stroke-width="3.4"/>'),
  back: icon('<path d="M18 6v12l-8.5-6z" fill="currentColor"/><path d="M6.5 6v12"/>'),
  forward: icon('<path d="M6 6v12l8.5-6z" fill="currentColor"/><path d="M17.5 6v12"/>'),
  loop: icon('<path d="M4 12a6 6 0 0 1 6-6h8M15 3l3 3-3 3M20 12a6 6 0 0 1-6 6H6M9 21l-3-3 3-3"/>'),
  arrows: icon('<path d="M5 19 17.5 6.5M10.5 6H18v7.5"/><circle cx="5.4" cy="18.6" r="1.9" fill="currentColor"/>'),
  impacts: icon('<path d="M12 3.500v4.200M12 16.300v4.200M3.500 12h4.200M16.300 12h4.200M6 6l2.700 2.700M15.300 15.300 18 18M18 6l-2.700 2.700M8.700 15.300 6 18"/><circle cx="12" cy="12" r="1.700" fill="currentColor"/>'),
  sun: icon('<circle cx="12" cy="12" r="4"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4"/>'),
  moon: icon('<path d="M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z"/>'),
  reset: icon('<path d="M4 9V5.5A1.5 1.5 0 0 1 5.5 4H9M15 4h3.5A1.5 1.5 0 0 1 20 5.500V9M20 15v3.500a1.500 1.500 0 0 1-1.500 1.500H15M9 20H5.500A1.500 1.500 0 0 1 4 18.500V15"/><circle cx="12" cy="12" r="2.600"/>'),
  help: icon('<path d="M9 9.200a3 3 0 1 1 4.200 2.750c-.8.400-1.200 1-1.200 1.850v.4"/><path d="M12 17.600v.01"/>'),
};
