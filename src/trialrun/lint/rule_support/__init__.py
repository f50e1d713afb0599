"""What rules share: facts about brands, menus, tables and conditions, gathered once for all rules that ask."""
