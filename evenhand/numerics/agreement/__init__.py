"""Agreement among raters beyond chance."""
