// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem('trackway.theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is refused: the system's theme stands.
}
